from groundswell.demo.live import main

main()

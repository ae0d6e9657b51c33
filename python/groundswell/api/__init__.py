"""What users call. Holds no logic: it checks arguments and hands over to plan and runtime.

Names follow PySpark: camelCase on DataFrame-like objects, snake_case functions.
"""

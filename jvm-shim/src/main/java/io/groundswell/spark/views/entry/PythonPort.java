package io.groundswell.spark.views.entry;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import py4j.CallbackClient;
import py4j.Gateway;
import py4j.GatewayServer;
import py4j.JavaServer;
import py4j.Protocol;
import py4j.Py4JClientConnection;
import py4j.Py4JPythonClient;
import py4j.PythonClient;

/**
 * Python's port for calls of ours, which asks for a token. PySpark's own port for callbacks asks
 * for none: py4j forgets the token when PySpark tells it the port. So this is another port, and
 * objects behind it cannot be reached through PySpark's.
 */
public final class PythonPort {
  private static final String CALL = "c\n";
  private static final long IDLE_SECONDS = 30;

  private final Gateway gateway;
  private final Py4JPythonClient client;

  private PythonPort(Gateway gateway, Py4JPythonClient client) {
    this.gateway = gateway;
    this.client = client;
  }

  /**
   * A client of the port; it connects with the first call.
   *
   * @param server Python's way into this JVM: objects that are passed are known to it
   */
  public static PythonPort of(GatewayServer server, int port, String token) {
    InetAddress here = here();
    SocketFactory sockets = SocketFactory.getDefault();
    Gateway gateway = server.getGateway();
    // With pinned threads, what Python calls in turn runs on the thread that called Python.
    Py4JPythonClient client = server instanceof JavaServer
        ? new Pinned(gateway, port, here, sockets, server, token)
        : new CallbackClient(port, here, token, IDLE_SECONDS, TimeUnit.SECONDS, sockets, true, 0);
    return new PythonPort(gateway, client);
  }

  /**
   * The Python object of this id, as {@code kind}: an interface whose methods return strings or
   * nothing.
   */
  public Object object(String id, Class<?> kind) {
    InvocationHandler handler = (proxy, method, arguments)
        -> method.getDeclaringClass() == Object.class ? ofObject(proxy, id, method, arguments)
                                                      : call(id, method.getName(), arguments);
    return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, handler);
  }

  /**
   * Of pinned threads. Py4J keeps a connection for each thread that has ever called, and Python
   * keeps a thread for each: here those of threads that have ended are closed when one more calls.
   */
  private static final class Pinned extends PythonClient {
    private final Map<Thread, Py4JClientConnection> byThread = new ConcurrentHashMap<>();

    Pinned(Gateway gateway, int port, InetAddress here, SocketFactory sockets, GatewayServer server,
        String token) {
      super(gateway, null, port, here, IDLE_SECONDS, TimeUnit.SECONDS, sockets, server, true, 0,
          token);
    }

    @Override
    protected Py4JClientConnection getConnection() throws IOException {
      Py4JClientConnection connection = super.getConnection();
      if (byThread.put(Thread.currentThread(), connection) == null) {
        byThread.keySet().forEach(this::closeIfEnded);
      }
      return connection;
    }

    private void closeIfEnded(Thread thread) {
      Py4JClientConnection connection = thread.isAlive() ? null : byThread.remove(thread);
      if (connection == null) {
        return;
      }
      lock.lock();
      try {
        connections.remove(connection);
      } finally {
        lock.unlock();
      }
      connection.shutdown();
    }
  }

  /** Where Python listens; {@code getLoopbackAddress} may be that of IPv6. */
  private static InetAddress here() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException e) { // four bytes are an address
      throw new IllegalStateException(e);
    }
  }

  private Object call(String id, String method, Object[] arguments) throws Throwable {
    StringBuilder command = new StringBuilder(CALL).append(id).append('\n').append(method);
    for (Object argument : arguments == null ? new Object[0] : arguments) {
      command.append('\n').append(gateway.getReturnObject(argument).getCommandPart());
    }
    command.append('\n').append(Protocol.END).append('\n');
    return Protocol.getReturnValue(client.sendCommand(command.toString()), gateway);
  }

  private static Object ofObject(Object proxy, String id, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "Python's " + id;
    };
  }
}

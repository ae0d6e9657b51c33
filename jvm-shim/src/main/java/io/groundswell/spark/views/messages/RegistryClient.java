package io.groundswell.spark.views.messages;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.messages.RegistryAccess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Asks a registry, one of its servers after the other until one answers. */
final class RegistryClient {
  private static final int ROUNDS = 2;
  private static final int MOST_LETTERS = 200;
  private static final Map<RegistryAccess, RegistryClient> OPEN = new ConcurrentHashMap<>();

  private final RegistryAccess access;
  private final HttpClient client;

  private RegistryClient(RegistryAccess access) {
    this.access = access;
    HttpClient.Builder builder = HttpClient.newBuilder()
                                     .connectTimeout(Duration.ofMillis(access.timeout()))
                                     .followRedirects(HttpClient.Redirect.NORMAL);
    if (access.authorities() != null) {
      builder.sslContext(trusting(access.authorities()));
    }
    this.client = builder.build();
  }

  static RegistryClient of(RegistryAccess access) {
    return OPEN.computeIfAbsent(access, RegistryClient::new);
  }

  /** Where the registry is, for messages. */
  static String place(RegistryAccess access) {
    return "the schema registry at " + String.join(", ", access.urls());
  }

  /**
   * What the registry has at a path; null if it says that there is nothing.
   *
   * @throws UnansweredException if no server gives an answer
   * @throws EngineException {@code SOURCE} if one refuses us, or is no registry
   */
  Answer get(String path) {
    List<String> said = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (String url : access.urls()) {
        try {
          HttpResponse<String> answer = client.send(
              request(url, path), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
          if (answer.statusCode() == 200) {
            return schema(url + path, answer.body());
          }
          if (answer.statusCode() == 404 && isOfRegistry(answer.body())) {
            return null;
          }
          String answered =
              url + path + " answers " + answer.statusCode() + ": " + shown(answer.body());
          if (answer.statusCode() < 500 && answer.statusCode() != 429) {
            throw refused(answered);
          }
          said.add(answered);
        } catch (JsonProcessingException e) {
          throw refused(url + path + " gives no schema: " + e.getOriginalMessage());
        } catch (IOException e) {
          said.add(url + ": " + why(e));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new EngineException(
              ErrorCode.SOURCE, place(access) + " was asked by a task that was ended", e);
        }
      }
    }
    throw new UnansweredException(place(access)
        + " does not answer: " + String.join("; ", said.stream().distinct().toList())
        + (". Start the pipeline again when it is back; see that address and certificate are "
            + "right"));
  }

  private Answer schema(String place, String body) throws JsonProcessingException {
    Answer found = Answer.read(body);
    if (found.schema() == null) {
      throw refused(place + " gives no schema: " + shown(body));
    }
    return found;
  }

  private EngineException refused(String answered) {
    return new EngineException(ErrorCode.SOURCE,
        place(access) + " does not give schemas: " + answered
            + ". See that the address, the user and the password are right");
  }

  private HttpRequest request(String url, String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofMillis(access.timeout()))
            .header("Accept", "application/vnd.schemaregistry.v1+json, application/json");
    if (access.user() != null) {
      String pair = access.user() + ":" + (access.password() == null ? "" : access.password());
      byte[] bytes = pair.getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
    }
    return request.build();
  }

  /** A wrong path of a server that is none answers 404, too, and without the registry's code. */
  private static boolean isOfRegistry(String body) {
    try {
      int code = Answer.read(body).errorCode();
      return code >= 40_400 && code < 40_500;
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  private static String why(IOException e) {
    Throwable cause = e;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String said = cause.getMessage();
    return cause.getClass().getSimpleName() + (said == null ? "" : ": " + shown(said));
  }

  private static String shown(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() > MOST_LETTERS ? line.substring(0, MOST_LETTERS) + "..." : line;
  }

  private static SSLContext trusting(String authorities) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      byte[] pem = authorities.getBytes(StandardCharsets.UTF_8);
      int count = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(
               new ByteArrayInputStream(pem))) {
        store.setCertificateEntry("authority-" + count++, each);
      }
      if (count == 0) {
        throw new GeneralSecurityException("the file has no certificate");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "the certificates for the schema registry cannot be read as PEM: " + e.getMessage(), e);
    }
  }
}

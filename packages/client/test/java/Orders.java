import backlot.client.ApiClient;
import backlot.client.ApiException;
import backlot.client.api.HttpMocksApi;
import backlot.client.api.StateApi;
import backlot.client.model.HttpMock;
import backlot.client.model.HttpMockResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

/** Makes and reads mocks by the generated client: the first argument is the management port, the second the HTTP port. */
public class Orders {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    URI server = URI.create(args[0]);
    client.setScheme(server.getScheme()).setHost(server.getHost()).setPort(server.getPort()).setBasePath("");
    HttpMocksApi mocks = new HttpMocksApi(client);
    mocks.createHttpMock(Map.of("id", "order", "request", Map.of("path", "/orders")));
    HttpMock mock = mocks.getHttpMock("order");
    mock.response(new HttpMockResponse().status(201).body("made by Java"));
    mocks.replaceHttpMock("order", mock);
    HttpRequest request = HttpRequest.newBuilder(URI.create(args[1] + "/orders")).build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(answer.statusCode() + " " + answer.body());
    System.out.println(mocks.listHttpMocks(null, null, null).get(0).getId());
    new StateApi(client).setState(Map.of("who", "Ann"), null);
    try {
      mocks.getHttpMock("none");
    } catch (ApiException error) {
      System.out.println(error.getCode());
    }
  }
}

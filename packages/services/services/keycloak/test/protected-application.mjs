import express from 'express';
import Keycloak from 'keycloak-connect';

/**
 * An API as people protect it with Keycloak's own middleware: `/user` wants a token, `/manager` one with that role of the
 * realm, and `/editor` one with that role of the client `app`.
 *
 * @param url - the address of Keycloak
 * @returns its address, and a function that ends it
 */
export async function startApplication(url) {
  const keycloak = new Keycloak(
    {},
    {
      realm: 'demo',
      'auth-server-url': url,
      resource: 'app',
      'bearer-only': true,
      'ssl-required': 'none',
      // Else a new key is only asked for ten seconds later.
      'min-time-between-jwks-requests': -1,
    },
  );
  const app = express();
  app.use(keycloak.middleware());
  const hello = (request, response) =>
    response.send(`hello ${request.kauth.grant.access_token.content.preferred_username}`);
  app.get('/user', keycloak.protect(), hello);
  app.get('/manager', keycloak.protect('realm:manager'), hello);
  app.get('/editor', keycloak.protect('editor'), hello);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

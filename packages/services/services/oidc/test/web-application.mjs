import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy } from 'passport-openidconnect';

/**
 * A web application as people write it with Passport: `/` says who is logged in, `/login` leads to the provider.
 *
 * @param issuer - the address of the provider
 * @param clientID - the client that it is there
 * @returns its address, and a function that ends it
 */
export async function startApplication(issuer, clientID) {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const url = `http://127.0.0.1:${server.address().port}`;
  const authenticator = new passport.Passport();
  authenticator.serializeUser((user, done) => done(null, user));
  authenticator.deserializeUser((user, done) => done(null, user));
  authenticator.use(
    new Strategy(
      {
        issuer,
        authorizationURL: `${issuer}/authorize`,
        tokenURL: `${issuer}/token`,
        userInfoURL: `${issuer}/userinfo`,
        clientID,
        clientSecret: 'secret',
        callbackURL: `${url}/callback`,
        scope: ['profile', 'email'],
      },
      (_issuer, profile, done) => done(null, profile),
    ),
  );
  app.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }));
  app.use(authenticator.initialize(), authenticator.session());
  app.get('/', (request, response) => {
    const { user } = request;
    response
      .type('text')
      .send(user === undefined ? 'nobody' : `${user.displayName} <${user.emails[0].value}>`);
  });
  app.get('/login', authenticator.authenticate('openidconnect'));
  app.get(
    '/callback',
    authenticator.authenticate('openidconnect', { failureRedirect: '/refused', failureMessage: true }),
    (_request, response) => response.redirect('/'),
  );
  app.get('/refused', (request, response) => {
    response.type('text').send(`refused: ${request.session.messages?.join(', ')}`);
  });
  app.use((error, _request, response, _next) => {
    response.status(500).type('text').send(`failed: ${error.message}`);
  });
  return {
    url,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

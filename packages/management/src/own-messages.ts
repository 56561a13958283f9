import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/** What the server of an application makes of each request. */
export type OwnMessages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Makes the requests and answers of a server with the prototypes of its application from the start. Express would give them
 * these prototypes afterwards. The engine shares no hidden class among objects whose prototype was changed: each property that
 * they get then makes a class and a list of properties for one object, 9 KB a request, which live until the next collection of
 * old objects, since classes are old from the start.
 *
 * @param app - the one application of the server, which nothing is mounted in that is an application of its own
 */
export function ownMessages(app: Express): OwnMessages {
  class OwnRequest extends IncomingMessage {}
  class OwnResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(OwnRequest.prototype, app.request);
  Object.setPrototypeOf(OwnResponse.prototype, app.response);
  app.request = OwnRequest.prototype as Express['request'];
  app.response = OwnResponse.prototype as Express['response'];
  return { IncomingMessage: OwnRequest, ServerResponse: OwnResponse };
}

import { bodyBytes, type CommandDeclaration } from '@backlot/core/plugin';
import { curlLine } from '@backlot/kit/http';

/** Headers of gRPC itself, which its JSON form does not have. */
const WIRE = /^(?:te|content-type|grpc-.*|connect-.*)$/;

/** Sends a unary call again, as JSON by the protocol of Connect on the same port. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  write({ path, headers = {}, body, extras = {} }, place) {
    const { messages } = extras;
    if (body === undefined || !isJson(body) || (Array.isArray(messages) && messages.length > 1))
      return undefined;
    const own = Object.entries(headers).filter(([name]) => !WIRE.test(name) && !name.endsWith('-bin'));
    const url = `${place.url.replace(/^grpc/, 'http')}${path.startsWith('/') ? '' : '/'}${path}`;
    return curlLine(
      {
        method: 'POST',
        url,
        headers: { ...Object.fromEntries(own), 'content-type': 'application/json' },
        body,
      },
      place,
    );
  },
};

/** Without a schema a body is what has come, which need not be JSON. */
function isJson(body: string | Uint8Array): boolean {
  try {
    JSON.parse(bodyBytes(body).toString());
    return true;
  } catch {
    return false;
  }
}

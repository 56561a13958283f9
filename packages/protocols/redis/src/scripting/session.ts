import { Session } from '../session.js';
import type { ServerState } from '../server-state.js';

/** The client that carries out the commands of scripts: nobody sees it in CLIENT LIST. */
export class ScriptSession extends Session {
  constructor(server: ServerState) {
    super(server, {
      remote: 'script',
      local: 'script',
      push: () => undefined,
      close: () => undefined,
      cut: () => undefined,
    });
    server.sessions.delete(this.id);
    server.connections -= 1;
  }
}

import type { Context, Service } from '@backlot/core/plugin';
import { activeTls, createService, type Connection } from '@backlot/kit';
import { DataPorts } from './data/data-ports.js';
import { FileTree } from './files/file-tree.js';
import { loadLibrary } from './library/ftp-library.js';
import { FileSection } from './sections/files.js';
import type { Services } from './session/services.js';
import { Session } from './session/session.js';
import type { FtpShape } from './shape.js';

/** Takes control connections and gives each a session. Loads the library, which takes a moment. */
export async function createFtpService(context: Context<FtpShape>): Promise<Service> {
  const { users = [] } = context.config;
  const passwords = new Map(users.map(({ username, password }) => [username, password]));
  const library = await loadLibrary(
    (username, password) => passwords.size === 0 || passwords.get(username) === password,
  );
  const tls = activeTls(context.config);
  const ports = new DataPorts(context, tls);
  const services: Services = {
    context,
    library,
    tree: new FileTree(context),
    ports,
    canUpgrade: tls?.mode === 'starttls',
  };
  const sessions = new WeakMap<Connection, Session>();
  return createService(context, {
    data: { files: new FileSection(services.tree, context.mocks.index) },
    stream: {
      onConnection: (connection) => {
        sessions.set(connection, new Session(connection, services));
      },
      onEntered: (connection, session: Session) => {
        session.moveTo(services);
        sessions.set(connection, session);
      },
      onStopping: (connection) => sessions.get(connection)?.stop(),
    },
    onStopped: () => ports.stop(),
  });
}

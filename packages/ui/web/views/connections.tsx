import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../lib/api.js';
import { addressOf } from '../lib/address.js';
import { durationOf, quoted, sizeOf } from '../lib/format.js';
import { running, schemaOf, type KindSchema } from '../lib/kinds.js';
import { Empty, Failed } from '../parts/empty.js';
import { Act } from '../parts/act.js';
import { JsonDialog } from '../parts/json-dialog.js';
import { KindName } from '../parts/mark.js';
import { attempt } from '../parts/notice.js';
import { useAsync } from '../parts/use-async.js';

interface Connection {
  readonly kind: string;
  readonly id: string;
  readonly remote: string;
  readonly user?: string;
  readonly client?: string;
  readonly age_ms: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly subscriptions?: readonly string[];
}

interface Stream {
  readonly id: string;
  readonly protocol: string;
  readonly mock_id: string;
  readonly started_at: string;
}

const MOST = 200;
const WAYS = { end: 'End', goodbye: 'Goodbye', reset: 'Reset' } as const;
const WHAT = {
  end: 'Close it in the ordinary way',
  goodbye: 'Close it with the last words of the protocol',
  reset: 'Close it with a TCP reset',
} as const;

async function allConnections(kinds: readonly string[], signal: AbortSignal): Promise<Connection[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const list = await api<Omit<Connection, 'kind'>[]>(
        `/api/connections/${encodeURIComponent(kind)}?limit=${MOST}`,
        { signal },
      );
      return list.map((connection) => ({ ...connection, kind }));
    }),
  );
  return lists.flat();
}

function Streams(): JSX.Element {
  const streams = useAsync((signal) => api<Stream[]>('/api/streams', { signal }), [], 1500);
  const [pushed, setPushed] = useState<{ stream: Stream; schema: KindSchema }>();
  if (streams.error !== undefined) return <Failed error={streams.error} />;
  const list = streams.value ?? [];
  return (
    <section>
      <h2>
        Open streams <span class="count">{list.length}</span>
      </h2>
      {list.length === 0 ? (
        <Empty action={{ method: 'GET', path: '/api/streams', cli: 'push list' }}>
          No answer is being streamed. Those of mocks with a stream that is kept open appear here.
        </Empty>
      ) : null}
      <ul class="cards flat">
        {list.slice(0, MOST).map((stream) => (
          <li key={`${stream.protocol} ${stream.id}`} class="card">
            <span class="line">
              <KindName kind={stream.protocol} />
              <a href={addressOf('mocks', { kind: stream.protocol, id: stream.mock_id })}>{stream.mock_id}</a>
              <span class="quiet">
                {stream.id}, since {new Date(stream.started_at).toLocaleTimeString()}
              </span>
              <span class="space" />
              <button
                type="button"
                class="small"
                onClick={() =>
                  void attempt(async () => setPushed({ stream, schema: await schemaOf(stream.protocol) }))
                }
              >
                Push
              </button>
              <Act
                class="small"
                text="Close"
                action={{
                  method: 'POST',
                  path: '/api/streams/close',
                  body: { protocol: stream.protocol, conn_id: stream.id },
                  cli: `push close ${stream.protocol} --stream ${quoted(stream.id)}`,
                  ts: `backlot.host.streams.close(${JSON.stringify({ protocol: stream.protocol, conn_id: stream.id })}, undefined)`,
                }}
                done="The stream is closed"
                onDone={streams.again}
              />
            </span>
          </li>
        ))}
      </ul>
      {pushed === undefined ? null : (
        <JsonDialog
          title={`Push into ${pushed.stream.mock_id}`}
          value="hello"
          source={{ schema: pushed.schema.push?.schema ?? {}, defs: pushed.schema.$defs }}
          button="Push"
          action={(data) => ({
            method: 'POST',
            path: '/api/streams/push',
            body: { protocol: pushed.stream.protocol, conn_id: pushed.stream.id, data },
            cli: `push send ${pushed.stream.protocol} ${quoted(JSON.stringify(data))} --stream ${quoted(pushed.stream.id)}`,
            ts: `backlot.host.streams.push(${JSON.stringify({ protocol: pushed.stream.protocol, conn_id: pushed.stream.id })}, ${JSON.stringify(data)})`,
          })}
          onClose={() => setPushed(undefined)}
        />
      )}
    </section>
  );
}

/** Who is connected, and which answers are being streamed. */
export function Connections(): JSX.Element {
  const kinds = running.value.map(({ protocol }) => protocol);
  const found = useAsync((signal) => allConnections(kinds, signal), [kinds.join()], 1500);
  const list = found.value ?? [];
  return (
    <div class="view scroll">
      <section>
        <h2>
          Connections <span class="count">{list.length}</span>
        </h2>
        {found.error === undefined ? null : <Failed error={found.error} />}
        {list.length === 0 ? (
          <Empty command="npx backlot status">
            Nobody is connected. Clients that keep a connection open appear here, with who has logged in and
            what they listen to. The command says where they connect to.
          </Empty>
        ) : (
          <div class="table-box">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Protocol</th>
                  <th scope="col">Client</th>
                  <th scope="col">User</th>
                  <th scope="col">Since</th>
                  <th scope="col">In</th>
                  <th scope="col">Out</th>
                  <th scope="col">Listens to</th>
                  <th scope="col">Close</th>
                </tr>
              </thead>
              <tbody>
                {list.map((connection) => (
                  <tr key={`${connection.kind} ${connection.id}`}>
                    <td>
                      <KindName kind={connection.kind} />
                    </td>
                    <td>
                      <a href={addressOf('timeline', { remote: connection.remote })}>
                        {connection.client ?? connection.remote}
                      </a>
                    </td>
                    <td>{connection.user ?? ''}</td>
                    <td>{durationOf(connection.age_ms)}</td>
                    <td>{sizeOf(connection.bytes_in)}</td>
                    <td>{sizeOf(connection.bytes_out)}</td>
                    <td title={(connection.subscriptions ?? []).join('\n')}>
                      {(connection.subscriptions ?? []).slice(0, 5).join(', ')}
                    </td>
                    <td>
                      <span class="actions">
                        {(Object.keys(WAYS) as (keyof typeof WAYS)[]).map((how) => (
                          <Act
                            key={how}
                            class="small"
                            text={WAYS[how]}
                            title={WHAT[how]}
                            action={{
                              method: 'POST',
                              path: `/api/connections/${encodeURIComponent(connection.kind)}/close`,
                              body: { id: connection.id, how },
                              cli: `connections close ${connection.kind} --id ${quoted(connection.id)} --how ${how}`,
                              ts: `backlot.host.kind('${connection.kind}').connections.close(${JSON.stringify({ id: connection.id })}, '${how}')`,
                            }}
                            done={`${connection.remote} is disconnected`}
                            onDone={found.again}
                          />
                        ))}
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <Streams />
    </div>
  );
}

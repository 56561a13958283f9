import type { RemoteSubject } from '@backlot/client';
import type { Check, JournalEntry, JournalFilter, Verdict } from '@backlot/core';
import type { Subject, SubjectKind } from './subject.js';

/** What a matcher or an assertion looks at, so that no more is asked for. */
export interface Need {
  /** The mock that is asked about, when it is not the subject itself. */
  readonly mockId?: string | undefined;
  /** Whether captured messages are. */
  readonly captures?: boolean;
}

interface Schema {
  readonly mock: { readonly noun: string; readonly quiet_when_unmatched?: boolean };
  readonly captures?: { readonly path: string };
}

/** More entries than a journal keeps unless its limits were raised. */
const MOST = 1_000_000;

/**
 * What a server has of a subject now, as it is in the same process, so that the same code judges both.
 *
 * @throws BacklotError with the server's own words
 */
export async function readRemote(remote: RemoteSubject, need: Need): Promise<Subject> {
  const { transport, type, name, kind, mockId } = remote;
  const read = <Answer>(path: string, query = {}): Promise<Answer> =>
    transport.call<Answer>('GET', path, undefined, query);
  const query = { ...(kind === undefined ? {} : { protocol: kind }), limit: MOST };
  const [entries, unmatched] = await Promise.all([
    read<readonly JournalEntry[]>('/logs', query),
    read<readonly JournalEntry[]>('/logs', { ...query, unmatched: true }),
  ]);
  const names = kind === undefined ? [...new Set(entries.map(({ protocol }) => protocol))] : [kind];
  const kinds = await Promise.all(names.map((one) => readKind(one, mockId ?? need.mockId)));
  return {
    type,
    name,
    kinds,
    ...(mockId === undefined ? {} : { mockId }),
    host: {
      journal: {
        list: ({ protocol, unmatched: isUnmatched }: JournalFilter = {}) =>
          (isUnmatched === true ? unmatched : entries).filter(
            (entry) => protocol === undefined || entry.protocol === protocol,
          ),
      },
      verify: (check: Check) => transport.call<Verdict>('POST', '/verify', check),
    },
  };

  async function readKind(one: string, id: string | undefined): Promise<SubjectKind> {
    const [{ mock, captures }, mocks, calls] = await Promise.all([
      read<Schema>(`/schema/${encodeURIComponent(one)}`),
      read<readonly { readonly id: string }[]>(`/mocks/${encodeURIComponent(one)}`),
      id === undefined ? undefined : callsOf(one, id),
    ]);
    const path = captures?.path.replace(/^\/api/, '');
    const values =
      path === undefined || need.captures !== true ? undefined : await read<readonly unknown[]>(path);
    return {
      kind: one,
      protocol: { mocks: { noun: mock.noun, quietWhenUnmatched: mock.quiet_when_unmatched === true } },
      mocks: { has: (mockOf) => mocks.some((each) => each.id === mockOf), list: () => mocks },
      calls: { of: () => calls ?? { mock_id: id ?? '', count: 0, calls: [] } },
      ...(values === undefined ? {} : { captures: { values: () => values } }),
    };
  }

  async function callsOf(one: string, id: string): Promise<ReturnType<SubjectKind['calls']['of']>> {
    try {
      return await read(`/calls/${encodeURIComponent(one)}/${encodeURIComponent(id)}`);
    } catch (thrown) {
      // Whoever asks says which mocks there are.
      if ((thrown as { readonly code?: unknown }).code !== 'not_found') throw thrown;
      return { mock_id: id, count: 0, calls: [] };
    }
  }
}

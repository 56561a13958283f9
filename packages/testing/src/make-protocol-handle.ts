import { BacklotError, type Host, type JournalEntry, type Kind, type ProtocolTypes } from '@backlot/core';
import { includes } from '@backlot/client';
import { plainEquals } from './compare.js';
import type { Capturing, Faultable, ProtocolMembers, MockHandle, Streaming } from './protocol-handle.js';
import { showProblems } from './show-problems.js';
import { checkMock, markSubject, type Subject } from './subject.js';
import { waitForCalls, waitForCaptured, type Waits } from './wait.js';

/** A protocol of a Backlot with every capability; which of them it has, its types say. */
type AnyProtocolHandle = ProtocolMembers<ProtocolTypes> &
  Capturing<unknown> &
  Faultable<unknown> &
  Streaming<unknown>;

/** Makes one protocol of a Backlot. */
export function makeProtocolHandle(host: Host, kind: Kind, waits: Waits): AnyProtocolHandle {
  const name = kind.kind;
  const subject: Subject = { type: 'protocol', name, host, kinds: [kind] };
  const made: AnyProtocolHandle = {
    kind,
    get url() {
      return kind.url ?? notListening(kind);
    },
    get port() {
      return kind.address?.port ?? notListening(kind);
    },
    mocks: kind.mocks,
    mock: function create(mock) {
      return makeHandle(subject, kind, showProblems(() => kind.mocks.create(mock), create).id);
    },
    calls(mockId) {
      checkMock(kind, mockId);
      return kind.calls.of(mockId).calls;
    },
    waitForCalls: (mockId, count, timeout) => waitForCalls(subject, kind, mockId, count, timeout),
    connections: () => kind.connections.list(),
    closeConnections: (filter, how) => kind.connections.close(filter, how),
    journal: (filter) => host.journal.list({ ...filter, protocol: name }),
    captured(wanted) {
      const captures = kind.captures ?? lacks(name, 'keeps no messages');
      const values = captures.values();
      return wanted === undefined ? values : values.filter((value) => includes(value, wanted, plainEquals));
    },
    async waitForCaptured(wanted, timeout) {
      if (kind.captures === undefined) lacks(name, 'keeps no messages');
      return waitForCaptured(subject, kind, waits, wanted, timeout);
    },
    clearCaptured: () => (kind.captures ?? lacks(name, 'keeps no messages')).clear(),
    fault: function set(fault) {
      const own = kind.fault ?? lacks(name, 'cannot be faulted');
      return showProblems(() => own.set(fault), set);
    },
    clearFault: () => (kind.fault ?? lacks(name, 'cannot be faulted')).clear(),
    push: (mockId, data) => host.streams.push({ protocol: name, mock_id: mockId }, data),
  };
  markSubject(made, subject);
  return made;
}

function makeHandle(ofKind: Subject, kind: Kind, id: string): MockHandle {
  const handle: MockHandle = {
    id,
    get count() {
      return kind.calls.of(id).count;
    },
    calls: (): readonly JournalEntry[] => kind.calls.of(id).calls,
    waitForCalls: (count, timeout) => waitForCalls(ofKind, kind, id, count, timeout),
    replace: function replace(mock) {
      return showProblems(() => kind.mocks.replace(id, mock), replace);
    },
    remove: () => kind.mocks.remove(id),
  };
  markSubject(handle, { ...ofKind, type: 'mock', name: `mock "${id}" of ${kind.kind}`, mockId: id });
  return handle;
}

function notListening({ kind, enabled }: Kind): never {
  const why = enabled ? 'the Backlot has been stopped' : 'its settings say `enabled: false`';
  throw new BacklotError('not_enabled', `${kind} does not listen: ${why}`);
}

function lacks(kind: string, what: string): never {
  throw new BacklotError('invalid', `${kind} ${what}`);
}

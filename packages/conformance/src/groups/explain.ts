import { check, checkEqual, checkRefused } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Which mock would answer a message as the journal shows it. */
export function explainCases(subject: Subject): readonly ConformanceCase[] {
  const { mode } = subject.protocol.mocks;
  const run = async (stage: Stage): Promise<void> => {
    const { kind, host } = stage;
    stage.add('other');
    stage.add('simple');
    await stage.ask('simple');
    const [entry] = kind.calls.of('simple').calls;
    check(entry !== undefined, 'the message "simple" has no entry among the calls of its mock');
    // A client's goodbye may come late, and is another message.
    const countSame = (): number =>
      host.journal.list().filter(({ method, path }) => method === entry.method && path === entry.path).length;
    const entries = countSame();
    const explained = kind.explain(entry);
    if (mode === 'items') {
      checkEqual('the outcome', explained.outcome, 'items');
      return;
    }
    checkEqual('the outcome', explained.outcome, 'matched');
    checkEqual(
      'the mock',
      mode === 'all' ? explained.mock_ids : explained.mock_id,
      mode === 'all' ? ['simple'] : 'simple',
    );
    checkEqual(
      'the others',
      explained.others.map((other) => other.mock_id),
      ['other'],
    );
    const simple = kind.mocks.get('simple');
    const replaced = await kind.dryRun(simple, { replaces: 'simple' });
    checkEqual('what the same mock would change', replaced.changes, []);
    check(replaced.matches > 0, 'a dry run of the mock that matched: it would match nothing');
    kind.mocks.remove('simple');
    const { id: _id, ...anew } = simple;
    const dry = await kind.dryRun(anew);
    checkEqual('what the mock would match', dry.matches, replaced.matches);
    checkEqual('what would answer then', dry.changes.at(-1)?.after?.split(', ').includes('(this)'), true);
    const unmatched = kind.explain(entry);
    checkEqual(
      'the outcome without the mock',
      unmatched.outcome,
      subject.protocol.mocks.ownWhenUnmatched === true ? 'own' : 'unmatched',
    );
    checkEqual(
      'the others without the mock',
      unmatched.others.map((other) => other.mock_id),
      ['other'],
    );
    checkEqual('the calls', kind.calls.of('simple').count, 1);
    checkEqual('the entries', countSame(), entries);
  };
  const forms = async ({ kind }: Stage): Promise<void> => {
    const { explained: { fields = {}, line } = {} } = subject.protocol.mocks;
    const refused = await checkRefused('an unknown field', 'invalid', () => kind.explain({ metod: 'X' }));
    check(
      refused.message.includes('"metod"') && refused.message.includes('method'),
      `an unknown field: the error must name it and the known ones, got ${JSON.stringify(refused.message)}`,
    );
    await checkRefused('a list', 'invalid', () => kind.explain([]));
    for (const place of Object.values(fields)) {
      check(place === '' || place.startsWith('/'), `explained.fields: "${place}" is no JSON pointer`);
    }
    if (line !== undefined) {
      check(typeof kind.explain(line.example).outcome === 'string', 'the line of the example is no message');
      return;
    }
    const noLine = await checkRefused('a line', 'invalid', () => kind.explain('anything'));
    check(noLine.message.includes('no form in one line'), `a line: got the error "${noLine.message}"`);
  };
  return [
    { name: 'takes the forms that are declared, and refuses others', run: () => onStage(subject, forms) },
    { name: 'names the mock that would answer, without traffic or counts', run: () => onStage(subject, run) },
  ];
}

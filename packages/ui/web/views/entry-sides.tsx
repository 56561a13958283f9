import type { JSX } from 'preact';
import type { Entry } from '../lib/entries.js';
import { dateOf } from '../lib/format.js';
import { Body } from '../parts/body.js';
import { Pairs } from '../parts/pairs.js';
import { Timing } from '../parts/timing.js';
import { EntryUpstream } from './entry-upstream.js';

/** What came and what was answered, with what an upstream has to do with it, and the time that it took. @param isElsewhere - whether it is of another server */
export function EntrySides({
  entry,
  isElsewhere = false,
}: {
  readonly entry: Entry;
  readonly isElsewhere?: boolean;
}): JSX.Element {
  const { response } = entry;
  return (
    <>
      <div class="sides">
        <section aria-label="Request">
          <h3>Request</h3>
          <Pairs values={entry.headers} />
          <Pairs values={entry.query} />
          <Body text={entry.body} encoding={entry.body_encoding} isCut={entry.body_truncated} />
        </section>
        <section aria-label="Answer">
          <h3>
            Answer <span class="status">{response?.status ?? entry.status ?? ''}</span>
          </h3>
          <Pairs values={response?.headers} />
          <Body text={response?.body} encoding={response?.body_encoding} isCut={response?.body_truncated} />
        </section>
      </div>
      <EntryUpstream entry={entry} isElsewhere={isElsewhere} />
      <section>
        <h3>Time</h3>
        <Timing entry={entry} />
      </section>
    </>
  );
}

/** What else is known of an entry, as names and values. */
export function factsOf(entry: Entry): Readonly<Record<string, unknown>> {
  return {
    time: dateOf(entry.timestamp),
    ...(entry.remote === undefined ? {} : { connection: entry.remote }),
    ...(entry.trace === undefined ? {} : { trace: entry.trace }),
    ...(entry.fault === true ? { fault: 'a fault hit it' } : {}),
    ...(entry.aborted === true ? { client: 'left before the answer was complete' } : {}),
    ...(entry.path_params === undefined ? {} : { parameters: entry.path_params }),
  };
}

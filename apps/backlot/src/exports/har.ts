import type { Exporter } from '@backlot/core/plugin';
import { entryOfHar } from '../cli/har-entry.js';

/** The log as HAR 1.2; exchanges of other protocols than HTTP are said in its terms. */
export const har: Exporter = {
  format: 'har',
  title: 'HAR of the log',
  contentType: 'application/json',
  extension: '.har',
  *write(source, notes) {
    const creator = JSON.stringify({ name: 'Backlot', version: source.version });
    yield `{"log":{"version":"1.2","creator":${creator},"entries":[`;
    let isFirst = true;
    for (const item of source.log()) {
      const entry = item.render();
      if (entry.span !== undefined) {
        notes.refused(entry.id, 'spans are no exchanges, and are left out');
        continue;
      }
      if (entry.body_truncated === true || entry.response?.body_truncated === true)
        notes.approximated(entry.id, 'of a longer body the log has the first 64 KiB');
      const place = source.kind(entry.protocol)?.place;
      if (entry.protocol !== 'http')
        notes.approximated(entry.id, `an exchange of ${entry.protocol} is said in the terms of HTTP`);
      notes.written('exchanges');
      yield `${isFirst ? '' : ','}\n${JSON.stringify(entryOfHar(entry, place?.url))}`;
      isFirst = false;
    }
    yield '\n]}}\n';
  },
};

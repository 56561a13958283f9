import type { ImportNotes } from '@backlot/core/plugin';
import { translateTemplate } from '../handlebars/translate.js';
import { delayOf, pointTo, textOf, treeOf, treesOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { dialectOf } from './dialect.js';

/** The webhooks of a stub, of which WireMock has two ways to write them. */
export function webhooksOf(stub: Tree, notes: ImportNotes, place: string): readonly Tree[] {
  const actions = [...treesOf(stub['postServeActions']), ...treesOf(stub['serveEventListeners'])];
  return actions.slice(0, 20).flatMap((action) => {
    const at = pointTo(place, 'serveEventListeners');
    if (action['name'] !== 'webhook') {
      notes.refused(at, `the listener "${String(action['name']).slice(0, 60)}" is not run`);
      return [];
    }
    const parameters = treeOf(action['parameters']);
    // In webhooks the request is called the original one.
    const text = (value: string): string =>
      translateTemplate(value.replaceAll('originalRequest', 'request'), dialectOf(false), notes, at);
    const url = textOf(parameters['url']);
    if (url === undefined || url === '') {
      notes.refused(at, 'a webhook without a url is left out');
      return [];
    }
    const headers = Object.entries(treeOf(parameters['headers'])).flatMap(([name, value]) => {
      const one = textOf(Array.isArray(value) ? value[0] : value);
      return one === undefined ? [] : [[name, text(one)] as const];
    });
    const body = textOf(parameters['body']);
    return [
      withoutAbsent({
        url: text(url),
        method: textOf(parameters['method'])?.toUpperCase() ?? 'POST',
        headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
        body: body === undefined ? undefined : text(body),
        delay: delayOf(treeOf(parameters['delay'])['milliseconds']),
      }),
    ];
  });
}

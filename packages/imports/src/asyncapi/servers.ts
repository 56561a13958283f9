import { memberOf, textOf, treeOf, type Tree } from '@backlot/contracts';
import { targetOf } from '../shared/target.js';
import type { Server, Tools } from './document.js';

const MOST = 200;

/** The servers of a document, by their names. */
export function readServers({ root, file, references }: Tools): ReadonlyMap<string, Server> {
  const servers = new Map<string, Server>();
  for (const [name, given] of Object.entries(treeOf(root['servers'])).slice(0, MOST)) {
    const { value, document } = references.follow({ value: given, document: file });
    const server = treeOf(value);
    const protocol = textOf(server['protocol']);
    if (protocol === undefined) continue;
    servers.set(name, {
      name,
      protocol: protocol.toLowerCase(),
      path: pathOf(server),
      bindings: treeOf(references.follow({ value: server['bindings'], document }).value),
    });
  }
  return servers;
}

function pathOf(server: Tree): string {
  const written = textOf(server['pathname']) ?? pathIn(textOf(server['url']) ?? '');
  const path = written.replaceAll(/\{([^{}]{1,100})\}/g, (_all, name: string) => {
    const variable = memberOf(server['variables'], name);
    return textOf(memberOf(variable, 'default')) ?? name;
  });
  return path === '' || path === '/' ? '' : `/${path.replaceAll(/^\/+|\/+$/g, '')}`;
}

/** The path of an address, which may be of any protocol or of none. */
function pathIn(url: string): string {
  return targetOf(`//${url.replace(/^[\w+.-]+:\/\//, '')}`)?.path ?? '';
}

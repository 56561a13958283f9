import { join } from 'node:path';
import { fillTemplate } from '../../template/fill.mjs';
import { INSTALLED_PROTOCOLS } from '../installed.generated.js';
import { pathFrom } from '../plugins/plugin-package.js';
import { PROTOCOL_TEMPLATES } from '../protocol-templates.js';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { print } from './output.js';

/**
 * `backlot new-protocol`: writes a package of its own for a new kind, which works as it is.
 *
 * @param folder - where; a folder of the kind's name in the current one when absent
 * @throws CommandError when the kind cannot be a name or is taken, or there is something in the folder
 */
export function newProtocol(kind: string, folder = kind): void {
  const owner = INSTALLED_PROTOCOLS.find((installed) => installed.kind === kind);
  if (owner !== undefined) {
    throw new CommandError(`protocol "${kind}" is there already, in ${owner.package}; choose another name`);
  }
  let files: readonly string[];
  try {
    files = fillTemplate(PROTOCOL_TEMPLATES, folder, { kind, version: readVersion() });
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
  for (const file of files) print(`wrote ${join(folder, file)}`);
  const place = pathFrom('.', folder);
  print(`next: npm install and npm test in ${place}, then: backlot start --plugin ${place}`);
}

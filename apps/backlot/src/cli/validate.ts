import { findConfigWarnings } from '../config/check.js';
import { findHints } from '../config/hints.js';
import { formatProblem } from '../config/problem.js';
import { requireFile } from './config-file.js';
import { loadConfig } from './load-config.js';
import { print } from './output.js';

/** `backlot validate`: every problem of a file, then what to know about it. */
export async function validate(named: string | undefined, packages: readonly string[]): Promise<void> {
  const file = requireFile(named);
  const { opened, settings, protocols } = await loadConfig(file, packages);
  if (opened === undefined || settings === undefined) return;
  for (const notice of opened.notices) print(`${file}: notice: ${notice}`);
  for (const warning of findConfigWarnings(opened, settings, protocols))
    print(formatProblem(file, { ...warning, message: `warning: ${warning.message}` }));
  for (const hint of findHints(opened))
    print(formatProblem(file, { ...hint, message: `hint: ${hint.message}` }));
  const blocks = Object.entries(settings.protocols ?? {});
  const counts = blocks.map(([kind, block]) => {
    const lists = Object.values(block ?? {}).filter((value): value is readonly unknown[] =>
      Array.isArray(value),
    );
    return `${kind} ${lists.reduce((sum, list) => sum + list.length, 0)}`;
  });
  print(`${file}: valid${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`);
}

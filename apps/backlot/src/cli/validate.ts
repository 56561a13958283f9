import { findConfigWarnings } from '../config/check.js';
import { findHints } from '../config/hints.js';
import { ConfigError, formatProblem } from '../config/problem.js';
import { CommandError } from './command-error.js';
import { namedFiles, requireFiles } from './config-file.js';
import { loadConfig } from './load-config.js';
import { note, print } from './output.js';

interface ValidateFlags {
  readonly set?: readonly string[];
  readonly plugin?: readonly string[];
}

/**
 * `backlot validate`: of each file every problem, else what to know about it. What `-c` names is one configuration.
 *
 * @throws ConfigError for one configuration with problems; CommandError when some of several have problems, which are printed then
 */
export async function validate(
  named: readonly string[],
  parts: readonly string[],
  flags: ValidateFlags = {},
): Promise<void> {
  if (parts.length > 0 || named.length < 2)
    return validateFile(requireFiles(namedFiles(named, parts)), flags);
  let failed = 0;
  for (const file of named) {
    try {
      await validateFile([file], flags);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.lines) note(line);
      failed += 1;
    }
  }
  if (failed > 0) throw new CommandError(`${failed} of ${named.length} files cannot be used`);
}

async function validateFile(
  files: readonly string[],
  { set: sets, plugin = [] }: ValidateFlags,
): Promise<void> {
  const { opened, settings, protocols } = await loadConfig(files, plugin, { sets });
  if (opened === undefined || settings === undefined) return;
  const file = files.join(', ');
  for (const notice of opened.notices) print(`${notice.file ?? file}: notice: ${notice.message}`);
  for (const warning of await findConfigWarnings(opened, settings, protocols))
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

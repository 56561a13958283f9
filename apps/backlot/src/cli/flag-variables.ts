import type { Command, Option } from 'commander';
import { CommandError } from './command-error.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Flags whose variables have another name, since these say more without their command. */
const NAMES: Readonly<Record<string, string>> = {
  token: 'BACKLOT_API_TOKEN',
  'token-file': 'BACKLOT_API_TOKEN_FILE',
  ca: 'BACKLOT_API_CA',
  cert: 'BACKLOT_API_CERT',
  key: 'BACKLOT_API_KEY',
};

/** Flags that mean the same in every command that has them. */
const SHARED: readonly string[] = ['config', 'plugin', 'url', 'insecure', 'json'];

/** Flags whose variables are read elsewhere: several files are separated as in `PATH`, settings have a variable each, and a file with the token comes before its variable. */
const ELSEWHERE: readonly string[] = ['config', 'set', 'token'];

/**
 * The variable that stands for a flag: `BACKLOT_API_PORT` for `start --api-port`. What only one command has is named after
 * that too: `BACKLOT_LOGS_LIMIT` for `logs --limit`.
 */
export function variableOf(command: Command, option: Option): string {
  const flag = flagOf(option);
  const path = pathOf(command);
  const isPlain = SHARED.includes(flag) || path[0] === 'start' || path[0] === 'run';
  return (
    NAMES[flag] ?? ['backlot', ...(isPlain ? [] : path), flag].join('_').replaceAll('-', '_').toUpperCase()
  );
}

/**
 * Gives the flags of a command that its arguments leave out the values of their variables. One that is set to an empty text is not set.
 *
 * @throws CommandError for a value that the flag does not take, with the name of the variable
 */
export function readFlagVariables(command: Command, variables: Variables): void {
  for (const option of command.options) {
    if (ELSEWHERE.includes(flagOf(option))) continue;
    const source = command.getOptionValueSource(option.attributeName());
    if (source !== undefined && source !== 'default') continue;
    const name = variableOf(command, option);
    const text = variables[name];
    if (text === undefined || text === '') continue;
    const value = takesValue(option) ? readValue(name, text, option) : readSwitch(name, text);
    // A switch that is off is as if the flag were not there.
    if (value === false) continue;
    command.setOptionValueWithSource(option.attributeName(), option.negate ? false : value, 'env');
  }
}

function flagOf(option: Option): string {
  return (option.long ?? '').replace(/^--/, '');
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

function readValue(name: string, text: string, { parseArg }: Option): unknown {
  if (parseArg === undefined) return text;
  // What is handed the value before it may be given more than once.
  const texts = parseArg.length < 2 ? [text] : text.split(text.includes('\n') ? '\n' : ',');
  try {
    return texts
      .filter((each) => each !== '')
      .reduce<unknown>((before, each) => parseArg(each, before), undefined);
  } catch (error) {
    throw new CommandError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readSwitch(name: string, text: string): boolean {
  if (/^(?:1|true)$/i.test(text)) return true;
  if (/^(?:0|false)$/i.test(text)) return false;
  throw new CommandError(`${name}: ${JSON.stringify(text)} is neither 1 (true) nor 0 (false)`);
}

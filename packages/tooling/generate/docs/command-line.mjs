import { GENERATED, formatAs } from './markdown.mjs';
import { print } from './printed.mjs';

const FILE = 'docs/reference/command-line.md';
const COMMAND = /^ {2}([a-z][a-z-]*)\b/;
/** The headings of a help text below which no commands stand. */
const NO_COMMANDS = /^(Arguments|Environment|Examples|First steps|Options|Ports|Usage)\b/;

/**
 * The help text of every command.
 *
 * @type {import('../index.mjs').Generator}
 */
export async function generateCommandLine(root) {
  const sections = [
    GENERATED,
    `# The command line\n\nWhat \`backlot COMMAND --help\` prints. Exit codes: 0 when all is well, 1 when it is not; \`run\` ends with the code of its command.`,
    await describe(root, []),
  ];
  return { [FILE]: await formatAs(root, FILE, sections.join('\n\n')) };
}

/**
 * @param {string} root
 * @param {readonly string[]} path the names of the command
 * @returns {Promise<string>} its section, followed by those of its subcommands
 */
async function describe(root, path) {
  const help = await print(root, ...path, '--help');
  const inside = await Promise.all(subcommands(help).map((name) => describe(root, [...path, name])));
  const heading = `${'#'.repeat(Math.min(path.length + 2, 4))} ${['backlot', ...path].join(' ')}`;
  return [heading, `\`\`\`text\n${help.trimEnd()}\n\`\`\``, ...inside].join('\n\n');
}

/**
 * @param {string} help
 * @returns {string[]}
 */
function subcommands(help) {
  const names = [];
  let isList = false;
  for (const line of help.split('\n')) {
    if (/^\S/.test(line)) isList = line.endsWith(':') && !NO_COMMANDS.test(line);
    const name = COMMAND.exec(line)?.[1];
    if (isList && name !== undefined && name !== 'help') names.push(name);
  }
  return names;
}

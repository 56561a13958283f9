import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * What holds on POSIX systems alone, with what to write in its place. Each is looked for in a line of code.
 *
 * @type {Readonly<Record<string, { pattern: RegExp, cure: string }>>}
 */
const RULES = {
  'temporary folder': { pattern: /['"`]\/tmp\b/, cure: 'use os.tmpdir()' },
  'path of a url': {
    pattern: /import\.meta\.url\)\.pathname|pathToFileURL\([^)]*\)\.pathname/,
    cure: 'use fileURLToPath(), since a pathname has "%20" and on Windows a slash before the drive',
  },
  'system file': {
    pattern: /['"`]\/(?:dev|proc|etc|var|usr|run)\//,
    cure: 'do without where it is not there, or use os.devNull and file descriptors',
  },
  'user id': {
    pattern: /\b(?:get|set)e?[ug]id\b|\bprocess\.umask\b/,
    cure: 'ask whether the function is there',
  },
  signal: {
    pattern: /['"`]SIG(?:HUP|QUIT|USR1|USR2|STOP|CONT|WINCH|PIPE)['"`]|\bkill\(\s*-/,
    cure: 'Windows has SIGINT, SIGTERM, SIGBREAK and SIGKILL; give another way',
  },
  socket: { pattern: /\.sock['"`]|['"`]unix:/, cure: 'use a port, or a named pipe on Windows' },
  'batch file': {
    pattern:
      /\b(?:spawn|spawnSync|execFile|execFileSync|fork)\(\s*['"`](?:npm|npx|pnpm|yarn|tsc|sh|bash)['"`]/,
    cure: 'start it through the shell on Windows, as run.mjs does',
  },
  permissions: {
    pattern: /\bchmod(?:Sync)?\(|\bmode: 0o/,
    cure: 'do not depend on it: Windows has no such bits',
  },
  'line ends': {
    pattern: /\.split\((?:'\\n'|"\\n")\)/,
    cure: 'split at /\\r?\\n/: files of people on Windows have both characters',
  },
  'home folder': {
    pattern: /process\.env(?:\.|\[['"])(?:HOME|TMPDIR|USER)\b/,
    cure: 'use os.homedir(), os.tmpdir()',
  },
};

/** Folders with code that runs on the machines of those who use or build this. */
const FOLDERS = ['packages', 'apps', 'examples'];
const SKIPPED = new Set(['node_modules', 'dist', 'test', 'bench', 'docs', '.declarations', 'fixtures']);

/**
 * Looks for assumptions that hold on POSIX systems alone. A place that has a branch for others is listed with its reason; a reason
 * for what is not there any more is a problem too.
 *
 * @param {string} root
 * @param {Readonly<Record<string, Readonly<Record<string, string>>>>} allowed reasons by file and rule
 * @returns {string[]} one sentence per place
 */
export function findPlatformAssumptions(root, allowed) {
  /** @type {string[]} */
  const problems = [];
  const used = new Set();
  for (const path of FOLDERS.flatMap((folder) => listSources(join(root, folder)))) {
    const name = relative(root, path).split(sep).join('/');
    const lines = withoutComments(readFileSync(path, 'utf8')).split(/\r?\n/);
    for (const [index, line] of lines.entries()) {
      for (const [rule, { pattern, cure }] of Object.entries(RULES)) {
        if (!pattern.test(line)) continue;
        if (allowed[name]?.[rule] === undefined) problems.push(`${name}:${index + 1} ${rule}: ${cure}`);
        else used.add(`${name} ${rule}`);
      }
    }
  }
  for (const [name, rules] of Object.entries(allowed)) {
    for (const rule of Object.keys(rules))
      if (!used.has(`${name} ${rule}`))
        problems.push(`${name} has no "${rule}" any more that a reason is given for`);
  }
  return problems;
}

/**
 * @param {string} folder
 * @returns {string[]} the files with code below it
 */
function listSources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listSources(path);
    return /\.(?:ts|mts|mjs|js)$/.test(entry.name) && !/\.(?:test|generated)\./.test(entry.name)
      ? [path]
      : [];
  });
}

/** @param {string} text */
function withoutComments(text) {
  return text
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\//gm, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^[ \t]*\/\/.*$/gm, '');
}

import { writeFile } from 'node:fs/promises';
import { environment } from './connect.js';
import { CommandError } from './command-error.js';
import { note, print } from './output.js';
import type { Finding } from './finding.js';

/** Says what is wrong, on standard error, and as annotations where GitHub runs this. */
export function reportFindings(findings: readonly Finding[]): void {
  const isGitHub = environment('GITHUB_ACTIONS') === 'true';
  for (const { problems } of findings) {
    const [first, ...more] = problems;
    if (first === undefined) continue;
    note(`error: ${first}`);
    for (const line of more) note(line);
    if (isGitHub) print(`::error title=backlot::${escapeCommand(problems.join('\n'))}`);
  }
}

/** Texts in commands of GitHub's runner: https://github.com/actions/toolkit, packages/core/src/command.ts. */
function escapeCommand(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/**
 * Writes what was looked at as a report in the XML of JUnit, which build servers show.
 *
 * @throws CommandError when the file cannot be written
 */
export async function writeJUnit(file: string, findings: readonly Finding[]): Promise<void> {
  const failed = findings.filter(({ problems }) => problems.length > 0).length;
  const cases = findings.map(({ name, problems }) => {
    const open = `    <testcase classname="backlot" name="${escapeXml(name)}" time="0"`;
    if (problems.length === 0) return `${open}/>`;
    const [first = '', ...more] = problems;
    return `${open}>\n      <failure message="${escapeXml(first)}">${escapeXml(more.join('\n'))}</failure>\n    </testcase>`;
  });
  const counts = `tests="${findings.length}" failures="${failed}" errors="0"`;
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite name="backlot" ${counts} time="0">\n${cases.join('\n')}\n  </testsuite>\n</testsuites>\n`;
  try {
    await writeFile(file, text);
  } catch (thrown) {
    throw new CommandError(`cannot write ${file}: ${(thrown as Error).message}`);
  }
}

const XML_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** What XML 1.0 cannot hold (its production Char) is shown by a question mark. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll(/[&<>"\n]/g, (character) => XML_NAMES[character] ?? character);
}

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Compiler from 'typescript';

const ts = createRequire(import.meta.url)('typescript') as typeof Compiler;
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
let count = 0;

/** What the compiler says of a place in a program. */
export interface Complaint {
  readonly line: number;
  /** The text that an editor underlines. */
  readonly at: string;
  readonly message: string;
}

/** A file beside these tests, as an editor has it open. */
export interface Editor {
  complaints(): readonly Complaint[];
  /** What is shown where the pointer rests on a text: a type, and the words about it. */
  hover(text: string): { readonly type: string; readonly text: string };
  /** What is offered behind a text, each with the words about it. */
  complete(text: string): ReadonlyMap<string, () => string>;
}

/** The files that are read, which all programs have in common. */
const registry = ts.createDocumentRegistry();

/** Types of other packages come from where the tests have the packages; see presets/jest.mjs. */
const CONDITIONS = process.env['BACKLOT_TEST_BUILT'] === '1' ? { customConditions: [] } : {};

/** Opens a program that is not on the disk. */
export function openEditor(program: string): Editor {
  const file = `${FOLDER}written-by-somebody-${(count += 1)}.ts`;
  const { config } = ts.readConfigFile(`${FOLDER}../tsconfig.json`, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(
    { ...(config as object), files: [] },
    ts.sys,
    `${FOLDER}..`,
  );
  const textOf = (path: string): string | undefined => (path === file ? program : ts.sys.readFile(path));
  const host: Compiler.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, ...CONDITIONS }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const text = textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => FOLDER,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: textOf,
    directoryExists: (path) => ts.sys.directoryExists(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  };
  const service = ts.createLanguageService(host, registry);
  const write = (parts: Compiler.SymbolDisplayPart[] | undefined): string => ts.displayPartsToString(parts);
  const find = (text: string): number => {
    const at = program.indexOf(text);
    if (at < 0) throw new Error(`${JSON.stringify(text)} is not in the program`);
    return at;
  };
  return {
    complaints: () =>
      service.getSemanticDiagnostics(file).map(({ start = 0, length = 0, messageText }) => ({
        line: program.slice(0, start).split('\n').length,
        at: program.slice(start, start + length),
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      })),
    hover(text) {
      const info = service.getQuickInfoAtPosition(file, find(text));
      return { type: write(info?.displayParts), text: write(info?.documentation) };
    },
    complete(text) {
      const at = find(text) + text.length;
      const entries = service.getCompletionsAtPosition(file, at, {})?.entries ?? [];
      const describe = (name: string) => () =>
        write(service.getCompletionEntryDetails(file, at, name, {}, undefined, {}, undefined)?.documentation);
      return new Map(entries.map(({ name }) => [name, describe(name)]));
    },
  };
}

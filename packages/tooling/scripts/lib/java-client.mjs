import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { toOpenApi30 } from './openapi-30.mjs';

/** The last version whose package on npm holds the generator itself; later ones fetch it from Maven. */
const GENERATOR = '@openapitools/openapi-generator-cli';
const PACKAGE = 'backlot.client';
/** What the client needs, where Debian puts it (libjackson2-databind-java). */
const LIBRARIES = ['core', 'databind', 'annotations'].map((name) => `/usr/share/java/jackson-${name}.jar`);

/** The programs end before more than that would pay. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
/** Neither is read by anybody who has the OpenAPI document. */
const LEFT_OUT = 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false';

/** What the generator writes that no compiler takes, or that needs libraries which Debian has not and the client does not. */
const MENDED = /** @type {const} */ ([
  [/^import (io\.swagger|org\.openapitools\.jackson|com\.fasterxml\.jackson\.datatype).*\n/gm, ''],
  [/^[ \t]*@ApiModel(Property)?(\(.*\))?[ \t]*\n/gm, ''],
  [/^[ \t]*@javax\.annotation\.\w+(\(.*\))?[ \t]*\n/gm, ''],
  [/^.*(JavaTimeModule|JsonNullableModule|registerModule\(jnm\)).*\n/gm, ''],
  // A field `set_x` would have the setter of `x`.
  [/^(  public \w+Mock) set([A-Z]\w*\()/gm, '$1 withSet$2'],
  // A map that has to be there and is made when the first entry comes.
  [/(this\.\w+ = );/g, '$1new java.util.HashMap<>();'],
]);

/**
 * Writes a client in Java, with the library of Java 11 for HTTP and Jackson for JSON.
 *
 * @param {Record<string, unknown>} document - of the management API
 * @param {string} folder - gets `src/main/java`, and what else the generator writes
 * @returns {readonly string[]} its Java files
 */
export function generateJavaClient(document, folder) {
  const jar = join(
    dirname(createRequire(import.meta.url).resolve(`${GENERATOR}/package.json`)),
    'bin/openapi-generator.jar',
  );
  const temporary = mkdtempSync(join(tmpdir(), 'backlot-openapi-'));
  try {
    const from = join(temporary, 'openapi.json');
    writeFileSync(from, JSON.stringify(toOpenApi30(document)));
    const names = [
      `invokerPackage=${PACKAGE}`,
      `apiPackage=${PACKAGE}.api`,
      `modelPackage=${PACKAGE}.model`,
      'library=native',
      'dateLibrary=java8',
      'hideGenerationTimestamp=true',
    ];
    const args = [
      ...QUICK,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
      '-jar',
      jar,
      'generate',
      '-g',
      'java',
      '-i',
      from,
      '-o',
      folder,
    ];
    // Its check knows nothing of what it generates well.
    execFileSync(
      'java',
      [
        ...args,
        '--skip-validate-spec',
        '--global-property',
        LEFT_OUT,
        '--additional-properties',
        names.join(','),
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const files = javaFiles(join(folder, 'src/main/java'));
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const mended = MENDED.reduce((before, [wrong, right]) => before.replace(wrong, right), text);
    if (mended !== text) writeFileSync(file, mended);
  }
  return files;
}

/**
 * Compiles Java files.
 *
 * @param {readonly string[]} files
 * @param {string} classes - the folder for what comes of them; what is in it already may be used by them
 * @returns {string} the class path by which a program with them runs
 * @throws Error where a library is not installed, or with what the compiler says
 */
export function compileJava(files, classes) {
  const missing = LIBRARIES.filter((file) => !existsSync(file));
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} is not there; on Debian: apt-get install libjackson2-databind-java`,
    );
  const path = [classes, ...LIBRARIES].join(delimiter);
  const list = join(mkdtempSync(join(tmpdir(), 'backlot-javac-')), 'files');
  try {
    writeFileSync(list, files.map((file) => `"${file}"`).join('\n'));
    execFileSync(
      'javac',
      [...QUICK.map((flag) => `-J${flag}`), '-nowarn', '-proc:none', '-d', classes, '-cp', path, `@${list}`],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
  } finally {
    rmSync(dirname(list), { recursive: true, force: true });
  }
  return path;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function javaFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.java'))
    .map((name) => join(folder, name));
}

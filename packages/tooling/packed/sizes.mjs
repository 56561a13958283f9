/**
 * What one command of npm leaves on the disk.
 *
 * @typedef {object} Tree
 * @property {string} command
 * @property {number} packages
 * @property {number} size bytes
 */

/**
 * The page of sizes. It is written by `pnpm sizes` and not compared byte for byte: figures have two digits, so that
 * it changes when a package does and not with every line of code.
 *
 * @param {readonly import('./tarball.mjs').Tarball[]} tarballs
 * @param {readonly Tree[]} trees
 * @returns {string} Markdown
 */
export function describeSizes(tarballs, trees) {
  const packages = tarballs.map(
    ({ manifest, size, unpackedSize }) =>
      `| \`${manifest.name}\` | ${formatSize(size)} | ${formatSize(unpackedSize)} | ${librariesOf(manifest)} |`,
  );
  const installed = trees.map(
    ({ command, packages: count, size }) => `| \`${command}\` | ${count} | ${formatSize(size)} |`,
  );
  return `# Packages

What \`pnpm sizes\` measured: it packs every package as it would be published, and installs some of them with npm in empty folders.
ESM, CommonJS and types are in each package but the command, which is ESM.

## Packages

| Package | Packed | Unpacked | Libraries of others |
| --- | ---: | ---: | --- |
${packages.join('\n')}

## Installed

The whole of \`node_modules\`, with the libraries of others.

| Command | Packages | Size |
| --- | ---: | ---: |
${installed.join('\n')}
`;
}

/**
 * @param {import('../scripts/lib/workspace.mjs').Manifest} manifest
 * @returns {string}
 */
function librariesOf({ dependencies = {} }) {
  const others = Object.keys(dependencies).filter((name) => !name.startsWith('@backlot/'));
  return others.length === 0 ? 'none' : others.map((name) => `\`${name}\``).join(', ');
}

/**
 * @param {number} bytes
 * @returns {string} with two digits: `9.9 kB`, `160 kB`, `5.2 MB`
 */
function formatSize(bytes) {
  const [value, unit] = bytes < 999_500 ? [bytes / 1000, 'kB'] : [bytes / 1e6, 'MB'];
  return `${Number(value.toPrecision(2))} ${unit}`;
}

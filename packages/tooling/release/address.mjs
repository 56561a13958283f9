import { run } from '../scripts/lib/run.mjs';

/**
 * Where a package comes from, in the fields of a package.json.
 *
 * @typedef {object} Address
 * @property {{ type: 'git', url: string, directory: string }} repository
 * @property {{ url: string }} bugs
 * @property {string} homepage
 */

/**
 * The page of a repository on the web, from the address of git's remote.
 *
 * @param {string} remote such as `git@host:owner/name.git`, `ssh://git@host/owner/name` or `https://host/owner/name.git`
 * @returns {string} `https://host/owner/name`
 */
export function pageOf(remote) {
  const found =
    /^(?:https?:\/\/|ssh:\/\/|git:\/\/)(?:[^@/]+@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(remote) ??
    /^(?:[^@/:]+@)([^/:]+):(?!\/\/)(.+?)(?:\.git)?\/?$/.exec(remote);
  if (found === null)
    throw new Error(
      `git's remote "origin" is "${remote}", which is no address on the web; a release needs one such as "https://github.com/owner/name.git"`,
    );
  return `https://${found[1]}/${found[2]}`;
}

/**
 * @param {string} cwd a folder of the checkout
 * @returns {Promise<string>} the page of its remote `origin`
 */
export async function readPage(cwd) {
  const { code, output } = await run('git', ['remote', 'get-url', 'origin'], { cwd, capture: true });
  if (code !== 0)
    throw new Error(
      'git has no remote "origin", so nobody knows where the packages come from; set it with "git remote add origin <url>"',
    );
  return pageOf(output.trim());
}

/**
 * @param {string} page of the repository
 * @param {string} path of the package in the repository, with `/`
 * @returns {Address}
 */
export function addressOf(page, path) {
  return {
    repository: { type: 'git', url: `git+${page}.git`, directory: path },
    bugs: { url: `${page}/issues` },
    homepage: `${page}/tree/main/${path}#readme`,
  };
}

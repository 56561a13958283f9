import { GithubError, operation, page, sorted } from './api.mjs';
import { commitOf, repoOf } from './history.mjs';
import { shownRepo, userOf } from './people.mjs';
import { shownIssue } from './issues.mjs';

/** Takes a query apart: words, and qualifiers such as `is:open`. */
export function readQuery(text) {
  const words = [];
  const qualifiers = [];
  for (const [, not, name, quoted, plain] of String(text ?? '').matchAll(
    /(-?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/g,
  )) {
    const value = quoted ?? plain;
    if (name === undefined) words.push(value.toLowerCase());
    else qualifiers.push({ name, value, isNot: not === '-' });
  }
  return { words, qualifiers };
}

const searching = (act) =>
  operation(
    (call) => {
      const { q } = call.query;
      if (q === undefined || q === '')
        throw new GithubError(422, 'Validation Failed', {
          errors: [{ resource: 'Search', field: 'q', code: 'missing' }],
        });
      const list = act(call, readQuery(q));
      return page(call, list, (items) => ({
        total_count: list.length,
        incomplete_results: false,
        items: items.map((item) => ({ ...item, score: 1 })),
      }));
    },
    { open: true },
  );

const has = (text, words) => words.every((word) => text.toLowerCase().includes(word));

/** Whether a value is what qualifiers want, by what each means; one that is not known is refused. */
function fits(qualifiers, meanings) {
  return qualifiers.every(({ name, value, isNot }) => {
    if (!Object.hasOwn(meanings, name))
      throw new GithubError(
        422,
        `The qualifier ${name} is not known here; these are: ${Object.keys(meanings).join(', ')}`,
      );
    return meanings[name](value) !== isNot;
  });
}

const visible = (call) =>
  call
    .rows('repos')
    .list()
    .filter((row) => call.login !== undefined || !row.private);

export const repositories = searching((call, { words, qualifiers }) =>
  visible(call)
    .filter((row) => has(`${row.full_name} ${row.description ?? ''}`, words))
    .filter((row) =>
      fits(qualifiers, {
        user: (name) => row.full_name.startsWith(`${name}/`),
        org: (name) => row.full_name.startsWith(`${name}/`),
        topic: (name) => row.topics.includes(name),
        language: (name) => String(row.language ?? '').toLowerCase() === name.toLowerCase(),
        is: (what) => what === (row.private ? 'private' : 'public'),
        in: () => true,
      }),
    )
    .map((row) => shownRepo(call, row)),
);

/** The issues and pull requests that a query means. */
export function findIssues(call, { words, qualifiers }) {
  const repos = new Map(visible(call).map((row) => [row.full_name, row]));
  const rows = call
    .rows('issues')
    .list()
    .filter((row) => repos.has(row.repo) && has(`${row.title} ${row.body ?? ''}`, words))
    .filter((row) =>
      fits(qualifiers, {
        repo: (name) => row.repo === name,
        user: (name) => row.repo.startsWith(`${name}/`),
        org: (name) => row.repo.startsWith(`${name}/`),
        is: (what) =>
          ({
            open: row.state === 'open',
            closed: row.state === 'closed',
            issue: row.pull === undefined,
            pr: row.pull !== undefined,
            merged: Boolean(row.pull?.merged_at),
          })[what] ?? false,
        state: (what) => row.state === what,
        type: (what) => (what === 'pr') === (row.pull !== undefined),
        label: (name) => row.labels.includes(name),
        author: (name) => row.user === name,
        assignee: (name) => row.assignees.includes(name),
        in: () => true,
        sort: () => true,
      }),
    );
  return rows.map((row) => ({ row, repo: repos.get(row.repo) }));
}

export const issues = searching((call, query) => {
  const found = new Map(findIssues(call, query).map(({ row, repo }) => [row.key, repo]));
  const rows = [...found.keys()].map((key) => call.rows('issues').get(key));
  return sorted(rows, { sort: call.query.sort, direction: call.query.order }).map((row) =>
    shownIssue(call, found.get(row.key), row),
  );
});

export const users = searching((call, { words, qualifiers }) =>
  call
    .rows('users')
    .list()
    .filter((row) => has(`${row.login} ${row.name ?? ''} ${row.email ?? ''}`, words))
    .filter((row) =>
      fits(qualifiers, {
        type: (what) => what === (row.type === 'Organization' ? 'org' : 'user'),
        in: () => true,
      }),
    )
    .map((row) => userOf(call, row.login)),
);

export const code = searching((call, { words, qualifiers }) =>
  visible(call).flatMap((row) => {
    const [owner, name] = row.full_name.split('/');
    const repo = repoOf(call, { owner, repo: name });
    if (!call.rows('refs').has(`${repo.full_name}:heads/${repo.default_branch}`)) return [];
    const { tree } = commitOf(call, repo);
    return Object.entries(tree).flatMap(([path, sha]) => {
      const isWanted = fits(qualifiers, {
        repo: (one) => one === repo.full_name,
        user: (one) => one === owner,
        org: (one) => one === owner,
        path: (one) => path.startsWith(one),
        filename: (one) => path.split('/').at(-1) === one,
        extension: (one) => path.endsWith(`.${one}`),
        in: () => true,
      });
      const text = Buffer.from(call.find('blobs', sha).content, 'base64').toString();
      if (!isWanted || !has(text, words)) return [];
      return [
        {
          name: path.split('/').at(-1),
          path,
          sha,
          url: `${call.api}/repos/${repo.full_name}/contents/${path}`,
          repository: shownRepo(call, repo),
        },
      ];
    });
  }),
);

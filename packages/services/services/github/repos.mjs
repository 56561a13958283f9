import { created, GithubError, invalid, NOTHING, operation, page } from './api.mjs';
import { addCommit, repoOf } from './history.mjs';
import { useLimit } from './limits.mjs';
import { shownRepo, userOf } from './people.mjs';

export const me = operation((call) => shownUser(call, call.login));
export const user = operation((call) => shownUser(call, call.find('users', call.params.login).login), {
  open: true,
});

function shownUser(call, login) {
  return { ...call.find('users', login), ...userOf(call, login) };
}

export const limits = operation(
  (call) => {
    const { isOver: _, ...core } = useLimit(call, 0);
    const search = { limit: 30, used: 0, remaining: 30, reset: core.reset };
    return { resources: { core, search, graphql: core }, rate: core };
  },
  { open: true, free: true },
);

export const get = operation((call) => shownRepo(call, repoOf(call)), { open: true });

function pageOf(call, isWanted) {
  const list = call
    .rows('repos')
    .list()
    .filter((row) => isWanted(row) && (call.login !== undefined || !row.private));
  return page(
    call,
    [...list].reverse().map((row) => shownRepo(call, row)),
  );
}

export const listMine = operation((call) =>
  pageOf(call, ({ full_name: name }) => name.startsWith(`${call.login}/`)),
);
export const listOf = operation(
  (call) => {
    const { login } = call.find('users', call.params.login);
    return pageOf(call, ({ full_name: name }) => name.startsWith(`${login}/`));
  },
  { open: true },
);

const FIELDS = [
  'description',
  'homepage',
  'private',
  'has_issues',
  'has_wiki',
  'has_projects',
  'archived',
  'topics',
  'default_branch',
  'is_template',
  'allow_squash_merge',
  'allow_merge_commit',
  'allow_rebase_merge',
  'delete_branch_on_merge',
];

const known = (body) =>
  Object.fromEntries(FIELDS.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));

function create(call, owner) {
  const name = call.text('name', 'Repository').replace(/[^\w.-]/g, '-');
  const full = `${owner}/${name}`;
  if (call.rows('repos').has(full))
    throw invalid('Repository', 'name', 'custom', 'name already exists on this account');
  const row = call.rows('repos').create({ full_name: full, id: call.nextId(), ...known(call.body) });
  if (call.body.auto_init === true)
    addCommit(call, row, row.default_branch, {
      message: 'Initial commit',
      files: { 'README.md': Buffer.from(`# ${name}\n`) },
    });
  return created(shownRepo(call, row));
}

export const createMine = operation((call) => create(call, call.login));
export const createIn = operation((call) => create(call, call.find('users', call.params.login).login));

export const update = operation((call) => {
  const repo = repoOf(call);
  const { name } = call.body;
  const fields = { ...known(call.body), updated_at: call.now };
  if (name === undefined || `${call.params.owner}/${name}` === repo.full_name)
    return shownRepo(call, call.rows('repos').update(repo.full_name, fields));
  throw new GithubError(422, 'A repository is not renamed by this mock');
});

const PARTS = [
  'issues',
  'comments',
  'labels',
  'milestones',
  'reviews',
  'releases',
  'statuses',
  'checks',
  'runs',
  'workflows',
  'hooks',
  'refs',
  'commits',
];

export const remove = operation((call) => {
  const repo = repoOf(call);
  for (const name of PARTS) for (const row of call.of(name, repo)) call.rows(name).remove(row.key);
  call.rows('repos').remove(repo.full_name);
  return NOTHING;
});

export const topics = operation((call) => ({ names: repoOf(call).topics }), { open: true });
export const setTopics = operation((call) => {
  const { names } = call.body;
  if (!Array.isArray(names)) throw invalid('Repository', 'names');
  return { names: call.rows('repos').update(repoOf(call).full_name, { topics: names.map(String) }).topics };
});

export const collaborators = operation((call) => {
  repoOf(call);
  return page(
    call,
    call
      .rows('users')
      .list()
      .map(({ login }) => userOf(call, login)),
  );
});
export const isCollaborator = operation((call) => {
  repoOf(call);
  call.find('users', call.params.login);
  return NOTHING;
});

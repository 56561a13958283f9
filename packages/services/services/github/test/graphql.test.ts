import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { graphql, type GraphqlResponseError } from '@octokit/graphql';
import { Octokit } from '@octokit/rest';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';

const backlot = useBacklot({ services: ['github'] });
const REPO = { owner: 'octocat', repo: 'hello-world' };
const rest = (): Octokit =>
  new Octokit({ auth: backlot.env.GITHUB_TOKEN, baseUrl: backlot.env.GITHUB_API_URL });

function ask<T = Record<string, unknown>>(query: string, variables: object = {}): Promise<T> {
  const headers = { authorization: `token ${backlot.env.GITHUB_TOKEN}` };
  return graphql.defaults({ baseUrl: backlot.env.GITHUB_API_URL, headers })<T>(query, { ...variables });
}

const failure = (call: Promise<unknown>): Promise<GraphqlResponseError<unknown>> =>
  call.then(
    () => undefined as never,
    (thrown: unknown) => thrown as GraphqlResponseError<unknown>,
  );

describe('GraphQL', () => {
  it('shows what REST has made, by variables, aliases and fragments', async () => {
    await rest().issues.create({ ...REPO, title: 'Tea', labels: ['bug'] });
    const query = `
      query Show($owner: String!, $name: String!, $more: Boolean = false) {
        viewer { login }
        repo: repository(owner: $owner, name: $name) {
          ...Names
          defaultBranchRef { name target { ... on Commit { message oid } } }
          object(expression: "main:README.md") { ... on Blob { text } }
          issues(first: 5, states: OPEN) { totalCount nodes { __typename number title labels(first: 3) { nodes { name } } } }
          description @include(if: $more)
        }
      }
      fragment Names on Repository { name nameWithOwner owner { login } }`;
    const found = await ask(query, { owner: 'octocat', name: 'hello-world' });
    expect(found).toEqual({
      viewer: { login: 'octocat' },
      repo: {
        name: 'hello-world',
        nameWithOwner: 'octocat/hello-world',
        owner: { login: 'octocat' },
        defaultBranchRef: {
          name: 'main',
          target: { message: 'Initial commit', oid: expect.stringMatching(/^[0-9a-f]{40}$/) },
        },
        object: { text: '# Hello\n' },
        issues: {
          totalCount: 1,
          nodes: [{ __typename: 'Issue', number: 1, title: 'Tea', labels: { nodes: [{ name: 'bug' }] } }],
        },
      },
    });
  });

  it('reads connections by cursor', async () => {
    for (const title of ['a', 'b', 'c']) await rest().issues.create({ ...REPO, title });
    const titles: string[] = [];
    let after: string | null = null;
    interface Page {
      repository: {
        issues: { nodes: { title: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
    }
    do {
      const query = `query ($after: String) { repository(owner: "octocat", name: "hello-world") {
        issues(first: 2, after: $after) { nodes { title } pageInfo { hasNextPage endCursor } } } }`;
      const { repository }: Page = await ask<Page>(query, { after });
      titles.push(...repository.issues.nodes.map(({ title }) => title));
      after = repository.issues.pageInfo.hasNextPage ? repository.issues.pageInfo.endCursor : null;
    } while (after !== null);
    expect(titles).toEqual(['a', 'b', 'c']);
  });

  it('changes what REST shows', async () => {
    const { repository } = await ask<{ repository: { id: string } }>(
      '{ repository(owner: "octocat", name: "hello-world") { id } }',
    );
    const made = await ask<{ createIssue: { issue: { id: string; number: number } } }>(
      'mutation ($input: CreateIssueInput!) { createIssue(input: $input) { issue { id number } } }',
      { input: { repositoryId: repository.id, title: 'By GraphQL' } },
    );
    const { id } = made.createIssue.issue;
    const said = await ask(
      'mutation ($id: ID!) { addComment(input: {subjectId: $id, body: "Yes"}) { commentEdge { node { body author { login } } } } }',
      { id },
    );
    expect(said).toEqual({
      addComment: { commentEdge: { node: { body: 'Yes', author: { login: 'octocat' } } } },
    });
    await ask(
      'mutation ($id: ID!) { closeIssue(input: {issueId: $id, stateReason: NOT_PLANNED}) { issue { state } } }',
      { id },
    );
    expect((await rest().issues.get({ ...REPO, issue_number: 1 })).data).toMatchObject({
      title: 'By GraphQL',
      state: 'closed',
      state_reason: 'not_planned',
      comments: 1,
    });
    const { node } = await ask<{ node: unknown }>(
      'query ($id: ID!) { node(id: $id) { id ... on Issue { title } } }',
      { id },
    );
    expect(node).toEqual({ id, title: 'By GraphQL' });
  });

  it.each([
    ['{ repository(owner: "a", name: "b") { id } }', "Could not resolve to a Repository with the name 'a/b'"],
    ['{ viewer { shoeSize } }', "Field 'shoeSize' doesn't exist on type 'User'"],
    ['{ nonsense }', "Field 'nonsense' doesn't exist on type 'Query'"],
    ['{ viewer }', 'Field must have selections'],
    ['{ viewer { login', 'Unexpected end of document'],
    [
      '{ repository(owner: "octocat", name: "hello-world") { issues { totalCount } } }',
      'must provide a `first` or `last`',
    ],
    [
      '{ repository(owner: "octocat", name: "hello-world") { issues(first: 500) { totalCount } } }',
      'exceeds the `first` limit',
    ],
    ['query ($x: ID!) { node(id: $x) { id } }', 'Variable $x'],
    [`{ ${'viewer { '.repeat(30)} login ${'}'.repeat(30)} }`, 'nested at most'],
    ['{ ...A } fragment A on Query { ...A }', 'infinite loop'],
  ])('refuses %s', async (query, message) => {
    const error = await failure(ask(query));
    expect(error.name).toBe('GraphqlResponseError');
    expect(error.errors?.[0]?.message).toContain(message);
  });
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver of Octokit, and what it has taken as signed with the secret. */
async function receive(
  secret: string,
): Promise<{ url: string; events: { name: string; payload: unknown }[]; errors: unknown[] }> {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const webhooks = new Webhooks({ secret, log });
  const events: { name: string; payload: unknown }[] = [];
  const errors: unknown[] = [];
  webhooks.onAny(({ name, payload }) => void events.push({ name, payload }));
  webhooks.onError((error) => void errors.push(error));
  const middleware = createNodeMiddleware(webhooks, { path: '/hooks', log });
  const server = createServer((request, response) => void middleware(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, events, errors };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('webhooks', () => {
  it('are made by a call, pinged, and sent what they want, signed', async () => {
    const secret = backlot.env.GITHUB_WEBHOOK_SECRET;
    const { url, events } = await receive(secret);
    const { issues, repos } = rest();
    const config = { url, content_type: 'json', secret };
    const { data: hook } = await repos.createWebhook({
      ...REPO,
      config,
      events: ['issues', 'issue_comment'],
    });
    await until(() => events.length === 1);
    expect(events).toMatchObject([{ name: 'ping', payload: { hook_id: hook.id } }]);
    await issues.create({ ...REPO, title: 'Tea' });
    await issues.createComment({ ...REPO, issue_number: 1, body: 'Yes' });
    await until(() => events.length === 3);
    const byName = Object.fromEntries(events.map(({ name, payload }) => [name, payload]));
    expect(byName).toMatchObject({
      issues: {
        action: 'opened',
        issue: { number: 1, title: 'Tea' },
        repository: { full_name: 'octocat/hello-world' },
        sender: { login: 'octocat' },
      },
      issue_comment: { action: 'created', comment: { body: 'Yes' } },
    });
    await repos.deleteWebhook({ ...REPO, hook_id: hook.id });
    expect((await repos.listWebhooks(REPO)).data).toEqual([]);
  });

  it('may be rows, and those with another secret are refused', async () => {
    const good = await receive('one');
    const bad = await receive('two');
    for (const { url } of [good, bad])
      backlot
        .collection('github:hooks')
        .create({ repo: 'octocat/hello-world', url, secret: 'one', events: ['push'] });
    const content = Buffer.from('a').toString('base64');
    await rest().repos.createOrUpdateFileContents({ ...REPO, path: 'a', message: 'Add a', content });
    await until(() => good.events.length === 1 && bad.errors.length === 1);
    expect(good.events.map(({ name }) => name)).toEqual(['push']);
    const messages = good.events.map(
      ({ payload }) => (payload as { head_commit: { message: string } }).head_commit.message,
    );
    expect(messages).toEqual(['Add a']);
    expect(bad.events).toEqual([]);
  });
});

describe('Python', () => {
  itWithTool('python3:github', 'PyGithub reads and changes, pages, and knows errors', async () => {
    const script = fileURLToPath(new URL('client.py', import.meta.url));
    const { out, err } = await runTool(PYTHON, [
      script,
      backlot.env.GITHUB_API_URL,
      backlot.env.GITHUB_TOKEN,
    ]);
    expect([out.trim(), err]).toEqual(['done', '']);
  });
});

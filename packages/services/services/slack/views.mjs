import { APP, BOT, find, jsonOf, newId, operation, rowsOf, SlackError, TEAM } from './api.mjs';
import { useTrigger } from './events.mjs';
import { checkBlocks } from './messages.mjs';

/** The view of a call. @throws SlackError for what is none */
function readView(args, types) {
  const view = jsonOf(args, 'view', 'invalid_arguments');
  const say = (message) =>
    new SlackError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${message}`] } });
  if (typeof view !== 'object' || view === null) throw say('missing required field: view');
  if (!types.includes(view.type)) throw say(`must be one of ${types.join(', ')} [json-pointer:/view/type]`);
  if (view.type === 'modal' && typeof view.title?.text !== 'string')
    throw say('missing required field: title [json-pointer:/view]');
  if (view.type === 'modal' && view.title.text.length > 24)
    throw say('must be less than 25 characters [json-pointer:/view/title/text]');
  checkBlocks(view.blocks, 'invalid_blocks');
  if (view.blocks.some(({ type }) => type === 'input') && view.type === 'modal' && view.submit === undefined)
    throw say(
      '`submit` is required when an `input` block is in the `blocks` array [json-pointer:/view/submit]',
    );
  return view;
}

/** Adds a view, or puts it in place of one. */
export function put(context, view, fields, before) {
  const rows = rowsOf(context, 'views');
  const id = before?.id ?? newId(context, 'V');
  const row = {
    private_metadata: '',
    callback_id: '',
    state: { values: {} },
    clear_on_close: false,
    notify_on_close: false,
    close: null,
    submit: null,
    ...view,
    ...fields,
    id,
    team_id: TEAM,
    app_id: APP,
    bot_id: BOT,
    hash: `${Math.floor(context.clock.now() / 1000)}.${context.random.string(8)}`,
  };
  return before === undefined
    ? rows.create({ root_view_id: id, previous_view_id: null, ...row })
    : rows.replace(id, { ...before, ...row });
}

export const open = operation(
  ({ args, context }) => {
    const view = readView(args, ['modal']);
    useTrigger(context, args.trigger_id);
    return { view: put(context, view, {}) };
  },
  { needs: ['trigger_id', 'view'] },
);

export const push = operation(
  ({ args, context }) => {
    const view = readView(args, ['modal']);
    useTrigger(context, args.trigger_id);
    const top = rowsOf(context, 'views')
      .list()
      .filter(({ type }) => type === 'modal')
      .at(-1);
    if (top === undefined) throw new SlackError('not_found');
    const stack = rowsOf(context, 'views')
      .list()
      .filter(({ root_view_id: root }) => root === top.root_view_id);
    if (stack.length >= 3) throw new SlackError('push_limit_reached');
    return { view: put(context, view, { root_view_id: top.root_view_id, previous_view_id: top.id }) };
  },
  { needs: ['trigger_id', 'view'] },
);

export const update = operation(
  ({ args, context }) => {
    const view = readView(args, ['modal', 'home']);
    const { view_id: id, external_id: external, hash } = args;
    const named = rowsOf(context, 'views')
      .list()
      .find((row) => external !== undefined && row.external_id === external);
    const before = named ?? find(context, 'views', id, 'not_found');
    if (hash !== undefined && hash !== before.hash) throw new SlackError('hash_conflict');
    return { view: put(context, view, {}, before) };
  },
  { needs: ['view'] },
);

export const publish = operation(
  ({ args, context }) => {
    const view = readView(args, ['home']);
    find(context, 'users', args.user_id, 'user_not_found');
    const before = rowsOf(context, 'views')
      .list()
      .find(({ type, user_id: user }) => type === 'home' && user === args.user_id);
    if (args.hash !== undefined && args.hash !== before?.hash) throw new SlackError('hash_conflict');
    const { user_id: _, ...shown } = put(context, view, { user_id: args.user_id }, before);
    return { view: shown };
  },
  { needs: ['user_id', 'view'] },
);

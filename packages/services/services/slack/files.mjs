import {
  find,
  invalidArguments,
  jsonOf,
  newId,
  operation,
  originOf,
  rowsOf,
  secondsOf,
  SlackError,
} from './api.mjs';
import { channelOf } from './channels.mjs';
import { tell } from './events.mjs';
import { post } from './messages.mjs';

const MAX_BYTES = 5 * 1024 * 1024;
const TYPES = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
};

/** The address to which the bytes of a file are posted. */
export const getUploadUrl = operation(
  ({ args, me, request, context }) => {
    const length = Number(args.length);
    if (!Number.isInteger(length) || length <= 0) throw invalidArguments('must be a positive number: length');
    if (length > MAX_BYTES) throw new SlackError('file_upload_size_restricted');
    const id = newId(context, 'F');
    const name = String(args.filename);
    const type = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? 'binary';
    rowsOf(context, 'files').create({
      id,
      name,
      title: name,
      filetype: type,
      mimetype: TYPES[type] ?? 'application/octet-stream',
      user: me.user,
      created: secondsOf(context),
      timestamp: secondsOf(context),
      size: length,
      channels: [],
      state: 'waiting',
      content: '',
    });
    return { upload_url: `${originOf(request)}/upload/v1/${id}`, file_id: id };
  },
  { needs: ['filename', 'length'] },
);

/** The bytes of a file, as they are or as a part of a form. */
export function upload({ params, parts, raw_body: body = '' }, context) {
  const rows = rowsOf(context, 'files');
  if (!rows.has(params.id)) return { status: 404, body: 'no such upload' };
  const given = parts === undefined ? body : Object.values(parts)[0]?.body;
  const content = Buffer.from(
    typeof given === 'object' && !(given instanceof Uint8Array) ? JSON.stringify(given) : (given ?? ''),
  );
  const { size } = rows.get(params.id);
  if (parts === undefined && content.length !== size)
    return { status: 400, body: `${content.length} bytes came, and ${size} were announced` };
  rows.update(params.id, { content: content.toString('base64'), size: content.length, state: 'uploaded' });
  return { body: `OK - ${content.length}` };
}

function shown({ content: _, state: __, ...file }, request) {
  const url = `${originOf(request)}/files/${file.id}/${encodeURIComponent(file.name)}`;
  return {
    ...file,
    url_private: url,
    url_private_download: url,
    permalink: url,
    mode: 'hosted',
    is_external: false,
  };
}

/** A file that is complete. */
function whole(context, id) {
  const file = find(context, 'files', id, 'file_not_found');
  if (file.state !== 'done') throw new SlackError('file_not_found');
  return file;
}

export const completeUpload = operation(
  ({ args, me, request, context }) => {
    const given = jsonOf(args, 'files', 'invalid_arguments');
    if (!Array.isArray(given) || given.length === 0)
      throw invalidArguments('must be a list with a file: files');
    const rows = rowsOf(context, 'files');
    for (const { id } of given)
      if (!rows.has(String(id)) || rows.get(id).state === 'waiting') throw new SlackError('file_not_found');
    const { channel_id: id } = args;
    const channel = id === undefined || id === '' ? undefined : channelOf(context, id);
    if (channel !== undefined && !channel.members.includes(me.user)) throw new SlackError('not_in_channel');
    const files = given.map(({ id: file, title }) =>
      rows.update(file, {
        state: 'done',
        ...(title === undefined ? {} : { title }),
        ...(channel === undefined ? {} : { channels: [channel.id] }),
      }),
    );
    const all = files.map((file) => shown(file, request));
    if (channel !== undefined) {
      const how = args.thread_ts === undefined ? {} : { thread_ts: args.thread_ts };
      post(context, channel, me, { text: args.initial_comment ?? '', files: all, upload: true }, how);
      for (const file of files)
        tell(context, {
          type: 'file_shared',
          file_id: file.id,
          user_id: me.user,
          file: { id: file.id },
          channel_id: channel.id,
        });
    }
    return { files: all };
  },
  { needs: ['files'] },
);

export const info = operation(
  ({ args, request, context }) => ({ file: shown(whole(context, args.file), request), comments: [] }),
  { needs: ['file'] },
);

export const list = operation(({ args, request, context }) => {
  const { channel, user, count = '100', page: number = '1' } = args;
  const size = Math.max(1, Math.min(1000, Number(count) || 100));
  const files = rowsOf(context, 'files')
    .list()
    .filter((file) => file.state === 'done')
    .filter(
      (file) =>
        (channel === undefined || file.channels.includes(channel)) &&
        (user === undefined || file.user === user),
    )
    .reverse();
  const at = Math.max(1, Number(number) || 1);
  const pages = Math.max(1, Math.ceil(files.length / size));
  return {
    files: files.slice((at - 1) * size, at * size).map((file) => shown(file, request)),
    paging: { count: size, total: files.length, page: at, pages },
  };
});

export const remove = operation(
  ({ args, me, context }) => {
    const file = whole(context, args.file);
    if (file.user !== me.user) throw new SlackError('cant_delete_file');
    rowsOf(context, 'files').remove(file.id);
    tell(context, { type: 'file_deleted', file_id: file.id });
    return {};
  },
  { needs: ['file'] },
);

/** The bytes of a file, for who has a token. */
export function download({ params, headers }, context) {
  const rows = rowsOf(context, 'files');
  if (!/^Bearer xox[bpe]-/i.test(String(headers.authorization ?? '')))
    return { status: 302, headers: { Location: 'https://backlot.slack.com/' } };
  const file = rows.has(params.id) ? rows.get(params.id) : undefined;
  if (file?.state !== 'done') return { status: 404, body: 'File not found' };
  return { headers: { 'Content-Type': file.mimetype }, body_base64: file.content };
}

import { base64Field, closedObject, jsonField, textField, Type } from '@backlot/core/plugin';

const MEBIBYTE = 1024 * 1024;

/** The limit on what all files hold together when the configuration names none. */
export const MAX_STORAGE_BYTES = 256 * MEBIBYTE;

/** How many ports there are to choose from when only the first is named. */
export const DEFAULT_PASSIVE_PORTS = 100;

/** What `protocols.ftp` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  users: Type.Optional(
    Type.Array(
      closedObject({
        username: Type.String({ minLength: 1, description: 'The name that USER gives.' }),
        password: Type.String({ description: 'The password that PASS gives.' }),
      }),
      { description: 'Who may log in; without users any login passes, `anonymous` too.' },
    ),
  ),
  passive_port_start: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      description: 'The first port for passive data connections; any free port when absent.',
    }),
  ),
  passive_port_end: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      description: 'The last port for passive data connections; 99 above the first when absent.',
    }),
  ),
  passive_host: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The IPv4 address that PASV names, for clients behind a translated address; where the client is connected to when absent.',
    }),
  ),
  max_storage_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1024 * MEBIBYTE,
      default: MAX_STORAGE_BYTES,
      description:
        'The most bytes that all files may hold together; an upload beyond it is refused with 552.',
    }),
  ),
});

/** A file's own fields. */
export const MockSchema = closedObject({
  path: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where the file is, from the root: `/reports/day.csv`. Its directories are made with it.',
  }),
  content: textField({
    default: '',
    description: 'The content of the file: a template, or base64 when `encoding` is `base64`.',
  }),
  json: jsonField(
    'content',
    'The content of the file as a JSON value, in place of `content`; its texts are templates, and one that is a single tag keeps the type of what it inserts.',
  ),
  content_base64: base64Field('content', 'The content of the file in base64, in place of `content`.'),
  encoding: Type.Optional(
    Type.Union([Type.Literal('text'), Type.Literal('base64')], {
      default: 'text',
      description:
        '`base64` when `content` is base64, as for a file that is not text; absent for a template.',
    }),
  ),
  permissions: Type.Optional(
    Type.String({
      default: '644',
      description:
        'The Unix mode, as `644`, `0644` or `rw-r--r--`. Without the first `r` it cannot be downloaded, without the first `w` not be written over.',
    }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Accepted and ignored: the size is that of the content.' }),
  ),
  modified: Type.Optional(
    Type.String({
      description:
        'The time of the last change, RFC 3339; when absent, the time at which the server was started.',
    }),
  ),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  code: Type.Optional(
    Type.Integer({
      minimum: 400,
      maximum: 599,
      default: 421,
      description: 'The code of the reply; 421 ends the connection as well.',
    }),
  ),
  message: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[^\\r\\n]*$',
      default: 'fault injected',
      description: 'The text of the reply, one line.',
    }),
  ),
});

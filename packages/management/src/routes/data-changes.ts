import type { DataDeclaration, Kind } from '@backlot/core';
import { Type, type TObject } from '@backlot/core/plugin';
import {
  DeletedSchema,
  NOT_ENABLED,
  answers,
  checkEnabled,
  deleted,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';
import { putEach } from './put-each.js';

/** Making, replacing and removing the entries of one section, as far as it is declared. */
export function dataChangeRoutes(
  kind: Kind,
  section: string,
  {
    path,
    tag,
    declared,
  }: { readonly path: string; readonly tag: string; readonly declared: DataDeclaration },
): ManagementRoute[] {
  const { noun, schema, idField = 'id', put, remove } = declared;
  const name = `${pascalCase(kind.kind)}${pascalCase(section)}`;
  const unknown = fails(`There is no such ${noun}.`);
  const id = { [idField]: Type.String({ description: `The \`${idField}\` of the ${noun}.` }) };
  const one = `${path}/{${idField}}`;
  const routes: ManagementRoute[] = [];
  if (put !== undefined) {
    routes.push(
      {
        method: 'POST',
        path,
        name: `put${name}`,
        tag,
        summary: `Makes or replaces one ${noun}, or each of a list.`,
        description:
          'They are made in order; when one of a list is refused, those before it stay, and the error names its place.',
        body: Type.Union([put.schema, Type.Array(put.schema, { minItems: 1 })]),
        examples: put.examples,
        hostChecksBody: true,
        responses: {
          201: answers('As they are shown now.', Type.Union([schema, Type.Array(schema)])),
          400: fails('An entry is not valid; details name every problem.'),
          503: NOT_ENABLED,
        },
        async handle({ body }) {
          checkEnabled(kind);
          return { status: 201, body: await putEach(body, (entry) => kind.data.put(section, entry)) };
        },
      },
      {
        method: 'PUT',
        path: one,
        name: `put${name}Entry`,
        tag,
        summary: `Makes or replaces one ${noun}.`,
        description: `\`${idField}\` is that of the path.`,
        params: id,
        body: withoutField(put.schema, idField),
        hostChecksBody: true,
        responses: {
          200: answers(`The ${noun} as it is shown now.`, schema),
          400: fails('It is not valid; details name every problem.'),
          503: NOT_ENABLED,
        },
        async handle(request) {
          checkEnabled(kind);
          const { body } = request;
          const given = typeof body === 'object' && body !== null && !Array.isArray(body);
          const entry = given ? { ...body, [idField]: paramOf(request, idField) } : body;
          return { body: await kind.data.put(section, entry) };
        },
      },
    );
  }
  if (remove === true) {
    routes.push({
      method: 'DELETE',
      path: one,
      name: `delete${name}Entry`,
      tag,
      summary: `Removes one ${noun}.`,
      params: id,
      responses: { 200: answers('It is gone.', DeletedSchema), 404: unknown, 503: NOT_ENABLED },
      async handle(request) {
        checkEnabled(kind);
        const which = paramOf(request, idField);
        await kind.data.remove(section, which);
        return deleted(which);
      },
    });
  }
  return routes;
}

function withoutField({ properties, required = [], ...rest }: TObject, field: string): TObject {
  const { [field]: _, ...others } = properties;
  return { ...rest, properties: others, required: required.filter((name) => name !== field) };
}

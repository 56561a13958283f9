import { Type, type Route } from '@backlot/core/plugin';
import type { GrpcService } from './server.js';

const TAG = 'gRPC protos';

/** A `.proto` file as it is uploaded. */
const ProtoSchema = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description: 'The path by which others import it: `acme/users.proto`.',
    }),
    content: Type.String({ minLength: 1, description: 'The text of the file.' }),
  },
  { additionalProperties: false },
);

const DeletedSchema = Type.Object({
  status: Type.Literal('deleted', { description: 'That it is gone.' }),
  deleted: Type.String({ description: 'Its name.' }),
});

/** The routes of uploaded schemas. */
export const PROTO_ROUTES: readonly Route<GrpcService>[] = [
  {
    method: 'GET',
    path: '/api/grpc/protos',
    whenNotEnabled: { body: [] },
    name: 'listGrpcProtos',
    tag: TAG,
    summary: 'Lists the uploaded protos.',
    description: 'Files of the configuration are not listed.',
    responses: { 200: { description: 'The protos, as they were given.', schema: Type.Array(ProtoSchema) } },
    handle: (_request, { registry }) => ({ body: registry.uploads }),
  },
  {
    method: 'POST',
    path: '/api/grpc/protos',
    name: 'createGrpcProto',
    tag: TAG,
    summary: 'Uploads a proto.',
    description:
      'Its services are served and reflected at once. Imports are found among the uploads and in google/protobuf.',
    body: ProtoSchema,
    responses: {
      201: { description: 'The new proto.', schema: ProtoSchema },
      400: { description: 'The text is no proto, or does not fit the others.' },
      409: { description: 'The name exists.' },
    },
    handle: ({ body }, { registry }) => ({
      status: 201,
      body: registry.upload(body as (typeof ProtoSchema)['static']),
    }),
  },
  {
    method: 'DELETE',
    path: '/api/grpc/protos/{name}',
    name: 'deleteGrpcProto',
    tag: TAG,
    summary: 'Deletes an uploaded proto.',
    responses: {
      200: { description: 'It is gone.', schema: DeletedSchema },
      404: { description: 'There is no proto of this name.' },
      409: { description: 'Another one imports it.' },
    },
    handle({ params }, { registry }) {
      const { name = '' } = params;
      registry.remove(name);
      return { body: { status: 'deleted', deleted: name } };
    },
  },
];

import { exporterFor, exportFormats, exportSource, runExport, type Host } from '@backlot/core';
import { runInSlices, Type } from '@backlot/core/plugin';
import type { ExportTools } from '../options.js';
import { dispositionOf } from './disposition.js';
import { NoteSchema } from './imports.js';
import { answers, fails, type ManagementRoute } from './management-route.js';

/** What was written, and what could not be said. */
export const ExportReportSchema = Type.Object({
  format: Type.String(),
  title: Type.String(),
  written: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many things the file has, by what they are.',
  }),
  approximated: Type.Array(NoteSchema, { description: 'What is written in another form, and why.' }),
  refused: Type.Array(NoteSchema, { description: 'What is left out, and why.' }),
});

/** What runs, and what is in the log, as files of other tools. */
export function exportRoutes(host: Host, tools: ExportTools | undefined): ManagementRoute[] {
  const protocols = host.kinds.map(({ protocol }) => protocol);
  return [
    {
      method: 'GET',
      path: '/api/export',
      name: 'exportFile',
      tag: 'Export',
      reach: 'here',
      summary: 'What runs, or what is in the log, as a file of another tool.',
      description:
        'Without a format the formats are listed. With `report=true` the answer says what the file has, and what could not be said in that format.',
      query: {
        format: Type.String({ description: 'The short name of the format, such as `openapi`.' }),
        id: Type.String({
          description: 'Which one, for a format whose files hold one thing, such as a mail.',
        }),
        report: Type.Boolean({ description: 'Whether the report is answered in place of the file.' }),
      },
      responses: {
        200: answers(
          'The file; the report; or the formats.',
          Type.Union([
            Type.Array(
              Type.Object({ format: Type.String({ description: 'The short name.' }), title: Type.String() }),
            ),
            ExportReportSchema,
            Type.Unknown({ description: 'A file that is JSON.' }),
          ]),
        ),
        400: fails('No such format is known, or there is nothing that it can say.'),
      },
      async handle({ query, signal }, space) {
        const further = (await tools?.load())?.exporters ?? [];
        const { format, id } = query;
        if (format === undefined) {
          const formats = Object.entries(exportFormats(protocols, further));
          return { body: formats.map(([name, title]) => ({ format: name, title })) };
        }
        const exporter = await exporterFor(format, protocols, further);
        const { pieces, report } = runExport(exporter, exportSource(space), { id });
        if (query['report'] === 'true') {
          await runInSlices(pieces, signal);
          return { body: report() };
        }
        return {
          pieces,
          contentType: exporter.contentType,
          headers: { 'Content-Disposition': dispositionOf(`backlot${exporter.extension}`) },
        };
      },
    },
  ];
}

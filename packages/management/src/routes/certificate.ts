import { BacklotError } from '@backlot/core/plugin';
import { fails, type ManagementRoute } from './management-route.js';

/** The self-signed certificate of this process, for clients that are to trust it. */
export function certificateRoutes(caCertificate: (() => Promise<string>) | undefined): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/ca.pem',
      name: 'getCaCertificate',
      tag: 'System',
      summary: 'The self-signed certificate of this server.',
      responses: {
        200: { description: 'The certificate.', contentType: 'application/x-pem-file' },
        404: fails('This server has none.'),
      },
      async handle() {
        if (caCertificate === undefined)
          throw new BacklotError('not_found', 'this server has no self-signed certificate');
        return { text: await caCertificate(), contentType: 'application/x-pem-file' };
      },
    },
  ];
}

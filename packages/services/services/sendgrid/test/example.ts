import { useBacklot } from '@backlot/testing';
import client from '@sendgrid/client';
import mail from '@sendgrid/mail';

const backlot = useBacklot({ services: ['sendgrid'] });

function connect(): typeof mail {
  client.setApiKey(backlot.env.SENDGRID_API_KEY);
  client.setDefaultRequest('baseUrl', backlot.env.SENDGRID_URL);
  mail.setClient(client);
  return mail;
}

export { connect };

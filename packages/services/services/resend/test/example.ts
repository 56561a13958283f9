import { useBacklot } from '@backlot/testing';
import { Resend } from 'resend';

const backlot = useBacklot({ services: ['resend'] });

function connect(): Resend {
  return new Resend(backlot.env.RESEND_API_KEY, { baseUrl: backlot.env.RESEND_BASE_URL });
}

export { connect };

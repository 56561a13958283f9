import { useBacklot } from '@backlot/testing';
import Stripe from 'stripe';

const backlot = useBacklot({ services: ['stripe'] });

function connect(): Stripe {
  const { STRIPE_SECRET_KEY, STRIPE_API_HOST, STRIPE_API_PORT } = backlot.env;
  return new Stripe(STRIPE_SECRET_KEY, { host: STRIPE_API_HOST, port: STRIPE_API_PORT, protocol: 'http' });
}

export { connect };

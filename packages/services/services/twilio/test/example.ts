import { useBacklot } from '@backlot/testing';
import twilio from 'twilio';

const backlot = useBacklot({ services: ['twilio'] });

function makeClient(): twilio.RequestClient {
  const client = new twilio.RequestClient();
  const send = client.request.bind(client);
  client.request = (request) => {
    const uri = request.uri.replace(/^https:\/\/(\w+)\.twilio\.com/, `${backlot.env.TWILIO_URL}/$1`);
    return send({ ...request, uri });
  };
  return client;
}

function connect(): twilio.Twilio {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN } = backlot.env;
  return twilio(TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, { httpClient: makeClient() });
}

export { connect };

import { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['slack'] });

function connect(): WebClient {
  return new WebClient(backlot.env.SLACK_BOT_TOKEN, { slackApiUrl: backlot.env.SLACK_API_URL });
}

function connectApp(): App {
  const { SLACK_API_URL: slackApiUrl, SLACK_APP_TOKEN: appToken, SLACK_BOT_TOKEN: token } = backlot.env;
  return new App({ token, appToken, socketMode: true, clientOptions: { slackApiUrl } });
}

export { connect, connectApp };

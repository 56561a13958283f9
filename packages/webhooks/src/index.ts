export { createWebhooks, type WebhookOptions } from './create-webhooks.js';

declare module 'postman-collection';

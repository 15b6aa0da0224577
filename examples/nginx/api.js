// An Express API behind nginx, which has verified the key. It must be reachable through nginx only.
import express from 'express';

const app = express();
app.get('/', (request, response) => {
  response.json({ message: 'Hello', keyId: request.get('x-latchkey-key-id') });
});

app.listen(Number(process.env.API_PORT ?? 3000), '127.0.0.1', () => console.log('ready'));

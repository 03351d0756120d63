import { defineModule, throttle, validate } from 'quire-cms/module';
export default defineModule({
    api: 1,
    settings: {
        greeting: { type: 'text', default: 'Hello', public: true },
    },
    collections: ['guests'],
    routes(app, { store, settings }) {
        app.group({ prefix: '/api/my-module', use: [throttle('60,1')] }, (group) => {
            group.get('/guests', async () => {
                const { items } = await store.collection('guests').list({ sort: ['name'] });
                return { data: items.map(({ id, fields }) => ({ id, ...fields })) };
            });
            group.post('/guests', { body: validate({ name: 'required|string|max:100' }) }, async ({ body, reply }) => {
                const { name } = body;
                const { id } = await store.collection('guests').put(idOf(name), { name });
                return reply.code(201).send({ data: { id, name, greeting: greet(String(await settings.get('greeting')), name) } });
            });
        });
    },
    filters: {
        greet_my_module: (name) => greet('Hello', String(name)),
    },
});
/** Greets somebody by name. */
export function greet(greeting, name) {
    return `${greeting}, ${name}!`;
}
/** An id that a name has: the same name again is the same guest. */
export function idOf(name) {
    return name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'guest';
}

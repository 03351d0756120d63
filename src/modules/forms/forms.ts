import { prefersCsv } from '#lib/accept.ts'
import { type ModuleDefinition, type ModuleRequest, throttle } from '#module/module.ts'
import { Messages } from './messages.ts'
import { PAGING_QUERY, pagingOf } from './paging.ts'
import { FORMS_RESOURCE, formsPage, MESSAGES_RESOURCE } from './panel.ts'

/** Returns the module that takes messages by forms that the panel declares. */
export function makeForms(): ModuleDefinition {
  return {
    api: 1,
    resources: [FORMS_RESOURCE, MESSAGES_RESOURCE],
    pages: [formsPage()],
    jobs: { tidy: { every: '1h', run: (_data, context, signal) => new Messages(context).tidy(signal) } },
    routes: (app, context) => {
      const messages = new Messages(context)
      app.group({ prefix: '/api/x/forms' }, (group) => {
        const summary = 'Takes a message by a form'
        group.post('/:form', { summary, auth: 'public', use: [throttle('5,1')] }, async ({ params, body, reply }) =>
          reply.code(201).send({ data: { message: await messages.take(params.form, body) } }),
        )
      })
      app.group({ prefix: '/api/x/forms/:form/messages', auth: 'settings:write' }, (group) => {
        group.get('/', { summary: 'Messages of a form', query: PAGING_QUERY }, (request) => list(messages, request))
        group.delete('/:id', { summary: 'Removes a message' }, async ({ params: { form = '', id = '' } }) => {
          await messages.remove(form, id)
          return { data: { id, deleted: true } }
        })
      })
    },
  }
}

async function list(messages: Messages, { params, query, headers, reply }: ModuleRequest): Promise<unknown> {
  const form = await messages.form(params.form)
  reply.header('vary', 'accept')
  if (prefersCsv(headers.accept)) return reply.type('text/csv; charset=utf-8').send(await messages.csv(form))
  const { page, perPage } = pagingOf(query)
  const found = await messages.list(form.name, { offset: (page - 1) * perPage, limit: perPage })
  const last = Math.max(1, Math.ceil(found.total / perPage))
  return { data: found.messages, meta: { total: found.total, per_page: perPage, current_page: page, last_page: last } }
}

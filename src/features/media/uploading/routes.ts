import type { FastifyInstance, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import { sendFresh } from '#http/answers/answers.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf, type Renew } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import type { UploadTimeouts } from '#http/requests/upload-timeouts.ts'
import { askedBy, writeOptionsOf } from '#http/requests/write-options.ts'
import { UnsupportedMediaType } from '#lib/errors.ts'
import * as shape from '../schema.ts'
import type { MediaAnswer } from '../view.ts'
import { fileInput, uploadInput } from './schema.ts'
import type { Upload, Uploads } from './uploads.ts'

/** The dependencies of the routes of uploads. */
export interface UploadRoutes {
  readonly uploads: Uploads
  readonly idempotency: Idempotency
  /** The guard and the patience of routes that take files, and the second look at who sends them. */
  readonly uploading: { readonly bearer: onRequestHookHandler; readonly timeouts: UploadTimeouts; readonly renew: Renew }
}

type One = { Params: { id: string } }

const tags = ['Media'] as const

/** `POST /api/media` and `PUT /api/media/{id}/file`, in a scope of their own: their bodies are forms. */
export function uploadRoutes(app: FastifyInstance, { uploads, idempotency, uploading }: UploadRoutes): void {
  useForms(app)
  app.addHook('onRequest', uploading.bearer)
  const ends = new WeakMap<FastifyRequest, Upload>()
  // Before the answer: who sends the same bytes again then finds no removal of them under way.
  app.addHook('onSend', async (request) => ends.get(request)?.end())
  const create: FastifySchema = {
    operationId: 'uploadMedia',
    summary: 'Uploads a picture or another file',
    description: 'Its type is told by its content. It gets a name that is free, made of that of the file.',
    tags,
    errors: [403, 413, 415],
    traits: ['version', 'location', 'idempotency-key'],
    body: uploadInput,
    response: { 201: one(shape.media) },
  }
  app.post('/api/media', { schema: create }, async (request, reply) => {
    await uploads.mustMayUpload(accessOf(request))
    uploading.timeouts.begin(request, reply)
    const upload = await uploads.receive(request, true)
    ends.set(request, upload)
    request.body = identityOf(upload)
    const caller = () => uploading.renew(request)
    // Before a retry is told what became of the first.
    await caller()
    const make = async (once?: string) => created(await uploads.create(caller, upload, askedBy(request, once)))
    const before = async (once: string) => {
      const made = await uploads.written(accessOf(request), once)
      return made && created(made)
    }
    // One that was answered before makes nothing.
    return idempotency.answer(request, reply, make, before).finally(() => upload.end())
  })
  const replace: FastifySchema = {
    operationId: 'replaceMediaFile',
    summary: 'Puts another file in the place of a media file',
    description: 'It must be of the same type, and is served at the same address.',
    tags,
    errors: [403, 409, 413, 415],
    traits: ['version', 'if-match'],
    params: shape.params,
    body: fileInput,
    response: { 200: one(shape.media) },
  }
  app.put<One>('/api/media/:id/file', { schema: replace }, async (request, reply) => {
    const [{ id }, options] = [request.params, writeOptionsOf(request)]
    await uploads.mustMayReplace(accessOf(request), id, options)
    uploading.timeouts.begin(request, reply)
    const upload = await uploads.receive(request, false)
    return sendFresh(reply, await uploads.replace(() => uploading.renew(request), id, upload, options))
  })
}

/** Bodies are forms with files alone, which are read by who wants them: not before it is known from whom they come. */
function useForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, _payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity') done(null, {})
    else done(new UnsupportedMediaType('Send the body as it is, without Content-Encoding.'))
  })
}

/** Of an upload what tells it from another: the same again is the same request. */
function identityOf({ fields, folder, filename, sent }: Upload): object {
  return { fields, folder, filename, ref: sent.ref }
}

function created({ view, body, etag }: MediaAnswer): KeptAnswer {
  return { status: 201, headers: { etag, location: `/api/media/${encodeURIComponent(view.id)}` }, body }
}

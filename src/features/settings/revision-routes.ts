import type { FastifyInstance } from 'fastify'
import { type RevisionRoutesDeps, type RevisionRoutesOf, thingRevisionRoutes } from '#http/past/revision-routes.ts'
import * as shape from './schema.ts'
import type { Settings } from './settings.ts'

/** The dependencies of the routes of settings as they were. */
export interface SettingRevisionRoutes extends RevisionRoutesDeps {
  readonly settings: Settings
}

const words = {
  list: {
    operationId: 'listSettingRevisions',
    summary: 'Lists what a setting was, newest first',
    description: 'Changes of other settings in the file of its group are no revisions of it.',
  },
  get: { operationId: 'getSettingRevision', summary: 'Gives a setting as it was in a revision' },
  compare: { operationId: 'compareSettingRevisions', summary: 'Tells what a revision of a setting changed' },
  rollBack: {
    operationId: 'rollBackSetting',
    summary: 'Gives a setting a value that it had',
    description:
      'That is a revision of its own: nothing of the past is lost. A value that its type does not take any more is refused.',
  },
} as const

/** `/api/settings/{key}/revisions…` and `…/rollback/{ts}`, behind the guard of settings. */
export function settingRevisionRoutes(app: FastifyInstance, { settings, ...deps }: SettingRevisionRoutes): void {
  const of: RevisionRoutesOf = {
    ...{ base: '/api/settings/:key', param: 'key', heading: 'Settings', words },
    shapes: { params: shape.params, thing: shape.setting },
    past: settings.past,
    rollback: async (...asked) => {
      const { answer, to, changed } = await settings.rollback(...asked)
      return { view: answer.view, etag: answer.etag, to, changed }
    },
  }
  thingRevisionRoutes(app, of, deps)
}

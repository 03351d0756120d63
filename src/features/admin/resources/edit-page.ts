import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Resource } from '../../resource.ts'

/** The page on which one thing of a resource is changed, where a form of fields does not do. */
export interface EditPage {
  show(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  update(resource: Resource, id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

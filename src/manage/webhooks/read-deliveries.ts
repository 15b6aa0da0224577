import type { Delivery } from '../../domain/webhook/delivery.ts';
import type { Page } from '../read/page.ts';

export type DeliveryPage = Page<Delivery>;

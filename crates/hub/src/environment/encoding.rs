//! The encoding of an environment, for learners.

use situated_runtime::Time;

use super::{AtEnvironment, Seat};
use crate::answers::{Decoded, EncodedNow, EncodingOfType};
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{Decode, DescribeEncoding, Encode};

impl AtEnvironment for DescribeEncoding {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let read = seat.owner.read(|interface| interface.encoded()?.encoding(&self.entity_type));
        reply.send(read.map(EncodingOfType).map_err(Error::from));
    }
}

impl AtEnvironment for Encode {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let read = seat.owner.read(|interface| {
            let encoded = match interface.encoded() {
                Some(view) => view.encode(&self.entity)?,
                None => interface.entity_id(&self.entity).map(|_| None)?,
            };
            Ok(EncodedNow { moment: interface.moment(), ending: interface.ending(), encoded })
        });
        reply.send(read.and_then(|read| read.map_err(situated_runtime::Error::Interface)).map_err(Error::from));
    }
}

impl AtEnvironment for Decode {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, _: Time) {
        let read = seat.owner.read(|interface| match interface.encoded() {
            Some(view) => view.decode(&self.entity, self.action),
            None => interface.entity_id(&self.entity).map(|_| None),
        });
        let read = read.and_then(|read| read.map_err(situated_runtime::Error::Interface));
        reply.send(read.map(Decoded).map_err(Error::from));
    }
}

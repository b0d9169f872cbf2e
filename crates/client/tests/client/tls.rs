//! Encrypted connections.

use std::path::PathBuf;

use situated_acl::Message;
use situated_client::Client;
use situated_server::{Settings, TlsFiles};
use situated_wire::methods::{Ping, Role};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::platforms::{ports, settings, text};
use crate::server::TestServer;

/// Creates a folder with a certificate that the system does not trust.
fn self_signed(name: &str) -> (PathBuf, TlsFiles) {
    let folder = std::env::temp_dir().join(format!("situated-client-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("it can be written");
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it can be signed");
    let files = TlsFiles { certificate: folder.join("certificate.pem"), key: folder.join("key.pem") };
    std::fs::write(&files.certificate, signed.cert.pem()).expect("it can be written");
    std::fs::write(&files.key, signed.signing_key.serialize_pem()).expect("it can be written");
    (folder, files)
}

#[tokio::test]
async fn encrypts_connections_with_a_trusted_certificate() {
    let (folder, files) = self_signed("connections");
    let server = TestServer::with(Settings { tls: Some(files.clone()), ..Settings::default() });
    let port = server.address.port();
    for address in [format!("wss://localhost:{port}"), format!("tls://localhost:{port}")] {
        let stranger = Client::connect(&address).await.err().expect("it is not trusted");
        assert!(stranger.to_string().contains("certificate"), "{stranger}");
        let client = Client::connect(&address).trust(&files.certificate).await.expect("it is trusted");
        client.call(Ping {}).await.expect("it is answered");
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// The settings of a platform whose peer is at this port with TLS, and has this certificate.
fn encrypted(name: &str, port: u16, peer: &str, peer_port: u16, certificate: &TlsFiles) -> Settings {
    let mut settings = settings(name, port, &[(peer, peer_port, "string")]);
    let platform = settings.platform.as_mut().expect("it is one");
    platform.peers[0].address = format!("https://localhost:{peer_port}/acc");
    platform.peer_certificates = Some(certificate.certificate.clone());
    settings
}

#[tokio::test]
async fn encrypts_messages_between_platforms() {
    let (folder, files) = self_signed("platforms");
    let [market, farm] = ports();
    let start = |name, port, peer, peer_port| {
        let settings = encrypted(name, port, peer, peer_port, &files);
        TestServer::at(Settings { tls: Some(files.clone()), ..settings })
    };
    let servers = [start("market", market, "farm", farm), start("farm", farm, "market", market)];
    let mut agents = Vec::new();
    for (port, name) in [(market, "ada"), (farm, "bob")] {
        let client = Client::connect(&format!("tls://localhost:{port}")).role(Role::Platform);
        let client = client.trust(&files.certificate).await.expect("it is trusted");
        let mailbox = client.open_mailbox(name).await.expect("the name is free");
        let mail = mailbox.mail().await.expect("it may");
        agents.push((mailbox, mail, client));
    }
    let [(ada, to_ada, _), (bob, to_bob, _)] = &mut agents[..] else { unreachable!("there are two") };
    ada.send(&Message::inform().to("bob@farm").content("plums")).await.expect("there is room");
    assert_eq!(text(&to_bob.receive().await.expect("it arrives")), "plums");
    bob.send(&Message::inform().to("ada@market").content("peaches")).await.expect("there is room");
    assert_eq!(text(&to_ada.receive().await.expect("it arrives")), "peaches");
    drop((agents, servers));
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[tokio::test]
async fn a_platform_with_another_certificate_gets_nothing() {
    let ((folder, trusted), (other_folder, other)) = (self_signed("trusted"), self_signed("other"));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let farm = listener.local_addr().expect("it listens").port();
    let [market] = ports();
    let server = TestServer::at(encrypted("market", market, "farm", farm, &trusted));
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("it listens");
    let ada = client.open_mailbox("ada").await.expect("the name is free");
    ada.send(&Message::inform().to("bob@farm").content("plums")).await.expect("it waits for its platform");

    let certificate = CertificateDer::from_pem_file(&other.certificate).expect("it is one");
    let key = PrivateKeyDer::from_pem_file(&other.key).expect("it is one");
    let config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate], key));
    let acceptor = TlsAcceptor::from(std::sync::Arc::new(config.expect("it is complete")));
    let (stream, _) = listener.accept().await.expect("the server tries");
    // In the test above, it trusts the certificate, and sends.
    assert!(acceptor.accept(stream).await.is_err(), "the server ends the connection instead of sending");
    // The server tries again, and would wait for an answer.
    drop(listener);
    drop((ada, client, server));
    for folder in [folder, other_folder] {
        std::fs::remove_dir_all(folder).expect("it is there");
    }
}
